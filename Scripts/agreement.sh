#!/bin/sh
# Holds `grove compare` against a package outside this one that measures the same through the public interface alone
# (Docs/Examples/Measurement): for each backend and workload the rate of the package divided by the tool's, and how quick
# the median of its single calls is beside the tool's (batches of 500 trees for writes), which other programs disturb less.
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
            awk -F, -v backend="$backend" 'NR > 1 && NF { print backend, $2, "tool", $5, $6 }' >>"$work/rates"
        "$BUILD/release/Measurement" "$backend" "$MESSAGES" |
            awk -v backend="$backend" '{ print backend, $1, "package", $2, $3 }' >>"$work/rates"
    done
done

# The median of each column by itself.
medians() {
    sort -k1,3 -k"$1,$1n" "$work/rates" | awk -v column="$1" '
        function flush() { if (count) print key, values[int((count + 1) / 2)] }
        { if ($1 " " $2 " " $3 != key) { flush(); key = $1 " " $2 " " $3; count = 0 }
          values[++count] = $column }
        END { flush() }'
}

printf '%-8s %-18s %12s %12s  %5s  %9s %9s  %s\n' backend workload tool/s package/s ratio tool-us pack-us ratio
{ medians 4 | sed 's/^/rate /'; medians 5 | sed 's/^/call /'; } | awk '
    { value[$1, $2, $3, $4] = $5; pairs[$2 " " $3] = 1 }
    END { for (pair in pairs) { split(pair, name, " ")
        tool = value["rate", name[1], name[2], "tool"]; package = value["rate", name[1], name[2], "package"]
        printf "%-8s %-18s %12d %12d  %5.2f", name[1], name[2], tool, package, package / tool
        tool = value["call", name[1], name[2], "tool"]; package = value["call", name[1], name[2], "package"]
        printf "  %9.2f %9.2f  %5.2f\n", tool, package, tool / package } }' | sort
