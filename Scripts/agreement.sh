#!/bin/sh
# Holds `grove compare` against a package outside this one that measures the same through the public interface alone
# (Docs/Examples/Measurement): for each backend and workload the rate of the package divided by the tool's, and how quick
# the median of its single calls is beside the tool's (batches of 500 trees for writes), which other programs disturb less.
#
# Both run in turn, ROUNDS times, now the one first and now the other, and what is printed are the medians of the rounds'
# own ratios: whatever else the machine does meets both sides of a round alike, and one run of a program that had bad
# memory or a busy neighbour is one round in many. Where a machine has two speeds, and runs of either program are at the one
# or the other, the median of ratios says which of them had more luck; so the last column holds the best round of the one
# against the best of the other (single calls), which is what both are when nothing is in their way. Stores are made in
# memory where the system has a file system there: disks have moods.
#
#   SWIFT     the swift command          ROUNDS    how many turns, 9 by default
#   BACKENDS  lmdb, sqlite, …            MESSAGES  how many, 100,000 by default
#   BUILD     where to build; Docs/Examples/Measurement/.build by default
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
SWIFT=${SWIFT:-swift}
ROUNDS=${ROUNDS:-9}
BACKENDS=${BACKENDS:-memory lmdb sqlite leveldb}
MESSAGES=${MESSAGES:-100000}
GROVE=${GROVE:-$root/.build/release/grove}
BUILD=${BUILD:-$root/Docs/Examples/Measurement/.build}
[ -w /dev/shm ] && export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

[ -x "$GROVE" ] || $SWIFT build -c release --product grove --traits "${TRAITS:-Tool}" --package-path "$root"
$SWIFT build -c release --package-path "$root/Docs/Examples/Measurement" --scratch-path "$BUILD"

# Each prints lines: backend, workload, whose, operations a second, microseconds of a median call.
tool() {
    "$GROVE" compare --full --backend "$1" --nodes $((MESSAGES * 11 / 10)) --coding specialised \
        --workload read-tree --workload rewrite-unchanged --workload write-batch --format csv 2>/dev/null |
        awk -F, -v key="$1" -v round="$2" 'NR > 1 && NF { print key, $2, round, "tool", $5, $6 }'
}

package() {
    "$BUILD/release/Measurement" "$1" "$MESSAGES" |
        awk -v key="$1" -v round="$2" '{ print key, $1, round, "package", $2, $3 }'
}

for round in $(seq "$ROUNDS"); do
    for backend in $BACKENDS; do
        if [ $((round % 2)) -eq 1 ]; then
            tool "$backend" "$round" && package "$backend" "$round"
        else
            package "$backend" "$round" && tool "$backend" "$round"
        fi >>"$work/rates"
    done
done

# A line for each backend and workload: the medians, and the lowest and the highest of the ratios of rates.
awk '
    function sorted(list, count,    i, j, value) {
        for (i = 2; i <= count; i++) {
            value = list[i]
            for (j = i - 1; j >= 1 && list[j] > value; j--) list[j + 1] = list[j]
            list[j + 1] = value
        }
    }
    function median(key, what, count,    i, list) {
        for (i = 1; i <= count; i++) list[i] = values[key, what, i]
        sorted(list, count)
        lowest = list[1]
        highest = list[count]
        return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
    }
    { key = $1 " " $2; rate[key, $3, $4] = $5; call[key, $3, $4] = $6; keys[key] = 1; if ($3 > rounds) rounds = $3 + 0 }
    END {
        for (key in keys) {
            for (i = 1; i <= rounds; i++) {
                values[key, "tool", i] = rate[key, i, "tool"]
                values[key, "package", i] = rate[key, i, "package"]
                values[key, "rate", i] = rate[key, i, "package"] / rate[key, i, "tool"]
                values[key, "call", i] = call[key, i, "tool"] / call[key, i, "package"]
            }
            split(key, name, " ")
            call_ratio = median(key, "call", rounds)
            for (i = 1; i <= rounds; i++) {
                values[key, "toolCall", i] = call[key, i, "tool"]
                values[key, "packageCall", i] = call[key, i, "package"]
            }
            median(key, "toolCall", rounds)
            best = lowest
            median(key, "packageCall", rounds)
            best /= lowest
            tool_rate = median(key, "tool", rounds)
            package_rate = median(key, "package", rounds)
            ratio = median(key, "rate", rounds)
            slowest = lowest
            fastest = highest
            printf "%-8s %-18s %9d %10d  %5.2f  %5.2f %5.2f  %5.2f  %5.2f\n", name[1], name[2], tool_rate, package_rate,
                ratio, slowest, fastest, call_ratio, best
        }
    }' "$work/rates" | sort | {
    printf '%-8s %-18s %9s %10s  %5s  %5s %5s  %5s  %5s\n' backend workload tool/s package/s ratio low high calls best
    cat
}
