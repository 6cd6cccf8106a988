#!/bin/sh
# Checks the tests of the outbox: with each fault of Conformance/OutboxMutants in its sources, the test that the fault names must fail.
# Edits Sources/GroveOutbox in place and takes each fault back, so that the build goes on from what is built.
#
#   sh Scripts/outbox-mutants.sh [NAME…]
set -u
cd "$(dirname "$0")/.." || exit 2
command -v patch >/dev/null 2>&1 || { echo "The program patch is not installed." >&2; exit 2; }
log=.build/outbox-mutants.log
applied=
undo() { if [ -n "$applied" ]; then patch -s -R -p1 <"$applied"; fi; applied=; }
trap undo EXIT
trap 'exit 2' INT TERM

flags="--ignore-lock --traits ${TRAITS-Tool,Macros,Logging,Metrics} ${FLAGS-}"
# shellcheck disable=SC2086
build() { ${SWIFT-swift} build --build-tests $flags >"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 2; }; }
program=.build/debug/GrovePackageTests.xctest
run() { timeout 150 "$program" --testing-library swift-testing --filter "$1" --skip '[./][Ss]low[A-Z]' >"$log" 2>&1; }

missed=0
found=0
for mutant in Conformance/OutboxMutants/*.patch; do
    name=$(basename "$mutant" .patch)
    case " $* " in "  " | *" $name "*) ;; *) continue ;; esac
    test=$(sed -n 's/^Found by: //p' "$mutant")
    patch -s -p1 <"$mutant" || { echo "$name does not fit the sources any more." >&2; exit 2; }
    applied=$mutant
    build
    run "$test"
    code=$?
    if [ "$code" = 0 ]; then
        echo "$name IS NOT FOUND by $test: $(sed -n 1p "$mutant")"
        missed=$((missed + 1))
    elif [ "$code" = 124 ]; then
        echo "$name: $test DOES NOT END."
        missed=$((missed + 1))
    elif grep -q 'recorded an issue' "$log"; then
        echo "$name is found by $test: $(grep -c 'recorded an issue' "$log") expectations"
        found=$((found + 1))
    else
        tail -n 5 "$log" >&2
        echo "$name: the tests did not run." >&2
        exit 2
    fi
    undo
done
echo "Faults of the outbox: $found found, $missed not."
[ "$missed" = 0 ] && [ "$found" != 0 ]
