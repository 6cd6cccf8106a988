#!/bin/sh
# What a budget costs, of stores of RECORDS records of some 180 bytes that were filled without one and with one: the first and the second
# write after opening, the memory that the process gains by them, the files, and the time of filling. Each figure is the median of ROUNDS
# processes, in turns. The budget is 1,000 bytes for each record, so that nothing is evicted.
#
#   RECORDS  how many, 500,000 by default    BACKENDS  lmdb, sqlite, …    ROUNDS  how many, 5 by default
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
RECORDS=${RECORDS:-500000}
ROUNDS=${ROUNDS:-5}
BACKENDS=${BACKENDS:-lmdb sqlite leveldb}
GROVE=${GROVE:-$root/.build/release/grove}
[ -w /dev/shm ] && export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The medians of the columns of a file.
medians() {
    awk '{ for (i = 1; i <= NF; i++) value[i, NR] = $i }
        END {
            for (i = 1; i <= NF; i++) {
                for (a = 1; a <= NR; a++) for (b = a + 1; b <= NR; b++) if (value[i, b] + 0 < value[i, a] + 0) {
                    t = value[i, a]; value[i, a] = value[i, b]; value[i, b] = t }
                printf "%s ", value[i, int((NR + 1) / 2)]
            }
        }' "$1"
}

echo "| $RECORDS records | filled | budget | first write, ms | second | memory, MB | files, MB | filling, s |"
echo "|---|---|---|---|---|---|---|---|"
for backend in $BACKENDS; do
    round=0
    while [ $round -lt "$ROUNDS" ]; do
        round=$((round + 1))
        for filled in without with; do
            option=
            [ $filled = without ] || option="--budget $((RECORDS * 1000))"
            rm -rf "$work/$filled"
            # shellcheck disable=SC2086
            "$GROVE" budget "$backend" "$work/$filled" --fill "$RECORDS" $option >>"$work/$backend.$filled.fill"
            du -sk "$work/$filled" >>"$work/$backend.$filled.files"
            for used in without with; do
                option=
                [ $used = without ] || option="--budget $((RECORDS * 1000))"
                # shellcheck disable=SC2086
                "$GROVE" budget "$backend" "$work/$filled" $option >>"$work/$backend.$filled.$used"
            done
        done
    done
    for filled in without with; do
        for used in without with; do
            # shellcheck disable=SC2046
            set -- $(medians "$work/$backend.$filled.$used") $(medians "$work/$backend.$filled.files")
            fill=$(medians "$work/$backend.$filled.fill" | tr -d " ")
            printf '| %s | %s | %s | %.2f | %.2f | %.1f | %.0f | %.2f |\n' "$backend" $filled $used "$1" "$2" \
                "$(echo "$3 / 1000000" | bc -l)" "$(echo "$4 / 1024" | bc -l)" "$fill"
        done
    done
done
