#!/bin/sh
# Holds `grove compare` against a package outside this one that measures the same through the public interface alone
# (Docs/Examples/Measurement): for each backend and workload the rate of the package divided by the tool's.
#
# Both run in turn, ROUNDS times, and the medians are divided, so that whatever else the machine does meets both. Stores are
# made in memory where the system has a file system there: disks have moods.
#
#   SWIFT     the swift command          ROUNDS    how many turns, 3 by default
#   BACKENDS  lmdb, sqlite, …            MESSAGES  how many, 100,000 by default
#   BUILD     where to build; Docs/Examples/Measurement/.build by default
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
SWIFT=${SWIFT:-swift}
ROUNDS=${ROUNDS:-3}
BACKENDS=${BACKENDS:-memory lmdb sqlite leveldb}
MESSAGES=${MESSAGES:-100000}
GROVE=${GROVE:-$root/.build/release/grove}
BUILD=${BUILD:-$root/Docs/Examples/Measurement/.build}
[ -w /dev/shm ] && export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

[ -x "$GROVE" ] || $SWIFT build -c release --product grove --package-path "$root"
$SWIFT build -c release --package-path "$root/Docs/Examples/Measurement" --scratch-path "$BUILD"

for backend in $BACKENDS; do
    for round in $(seq "$ROUNDS"); do
        "$GROVE" compare --backend "$backend" --nodes $((MESSAGES * 11 / 10)) --coding specialised \
            --workload read-tree --workload rewrite-unchanged --workload write-batch --format csv 2>/dev/null |
            awk -F, -v backend="$backend" 'NR > 1 && NF { print backend, $2, "tool", $5 }' >>"$work/rates"
        "$BUILD/release/Measurement" "$backend" "$MESSAGES" |
            awk -v backend="$backend" '{ print backend, $1, "package", $2 }' >>"$work/rates"
    done
done

printf '%-8s %-18s %12s %12s  %s\n' backend workload tool/s package/s ratio
sort -k1,1 -k2,2 -k3,3 -k4,4n "$work/rates" | awk '
    function flush(middle) { if (count) { middle = rates[int((count + 1) / 2)]; median[key] = middle } }
    { next_key = $1 " " $2 " " $3
      if (next_key != key) { flush(); key = next_key; count = 0; pairs[$1 " " $2] = 1 }
      rates[++count] = $4 }
    END { flush()
      for (pair in pairs) { split(pair, names, " ")
        printf "%-8s %-18s %12d %12d  %.2f\n", names[1], names[2], median[pair " tool"], median[pair " package"],
            median[pair " package"] / median[pair " tool"] } }' | sort
