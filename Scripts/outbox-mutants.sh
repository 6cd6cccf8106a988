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
# shellcheck disable=SC2086
run() { timeout 120 ${SWIFT-swift} test --skip-build $flags --filter "$1" --skip '[./][Ss]low[A-Z]' >"$log" 2>&1; }

missed=0
found=0
for mutant in Conformance/OutboxMutants/*.patch; do
    name=$(basename "$mutant" .patch)
    case " $* " in "  " | *" $name "*) ;; *) continue ;; esac
    test=$(sed -n 's/^Found by: //p' "$mutant")
    patch -s -p1 <"$mutant" || { echo "$name does not fit the sources any more." >&2; exit 2; }
    applied=$mutant
    build
    if run "$test"; then
        echo "$name IS NOT FOUND by $test: $(sed -n 1p "$mutant")"
        missed=$((missed + 1))
    else
        echo "$name is found by $test: $(grep -c 'recorded an issue' "$log") expectations"
        found=$((found + 1))
    fi
    undo
done
echo "Faults of the outbox: $found found, $missed not."
[ "$missed" = 0 ] && [ "$found" != 0 ]
