#!/bin/sh
# A list on screen that others edit, beside GRDB's `ValueObservation`. Each figure is the median of ROUNDS runs, in turns, and of the longest
# turn of the main thread also the worst. `Benchmarks/Peers/README.md` says what the figures are.
#
#   ROWS  how long the lists are, 10000 by default    ROUNDS  how many runs, 3 by default    SCREENS  which lists
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
ROWS=${ROWS:-10000}
ROUNDS=${ROUNDS:-3}
SCREENS=${SCREENS:-idle grove grove-process grove-appends grdb}
PROGRAM=${PROGRAM:-$root/Benchmarks/Peers/.build/release/Screens}
[ -w /dev/shm ] && export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# A figure of all runs of a list, in order.
values() { cat "$work/$1".* | awk -v figure="$2" '$1 == figure { print $2 }' | sort -n; }
median() { values "$@" | awk '{ value[NR] = $1 } END { printf "%.2f", value[int((NR + 1) / 2)] }'; }

echo "| rows | list | edit, p50, p99, ms | shown, p50, p99 | wait, p99, worst | turn, p99, worst | worst of all | memory, MB |"
echo "|---|---|---|---|---|---|---|---|"
for rows in $ROWS; do
    round=0
    while [ $round -lt "$ROUNDS" ]; do
        round=$((round + 1))
        for screen in $SCREENS; do "$PROGRAM" "$screen" "$rows" >"$work/$screen.$round"; done
    done
    for screen in $SCREENS; do
        figures=
        for figure in edit shown; do
            figures="$figures $(median "$screen" $figure.p50ms), $(median "$screen" $figure.p99ms) |"
        done
        for figure in main.wait main.turn; do
            figures="$figures $(median "$screen" $figure.p99ms), $(median "$screen" $figure.worst.ms) |"
        done
        worst=$(values "$screen" main.turn.worst.ms | tail -n 1)
        printf '| %s | %s |%s %.2f | %.0f |\n' "$rows" "$screen" "$figures" "$worst" "$(median "$screen" memory.MB)"
    done
    rm -f "$work"/*
done
