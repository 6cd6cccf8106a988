#!/bin/sh
# Checks the rules for a cache of many machines themselves: with each fault of Conformance/NearMutants in the near cache, the rule that
# the fault names must be broken. Works on a copy of the sources.
#
#   sh Scripts/near-mutants.sh [NAME…]
set -u
cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
copy=$root/.build/near-mutants
mkdir -p "$copy"
command -v patch >/dev/null 2>&1 || { echo "The program patch is not installed." >&2; exit 2; }

build() { ${SWIFT-swift} build --package-path "$copy" --product SharedPostgres >"$copy/build.log" 2>&1 || { tail -n 20 "$copy/build.log" >&2; exit 2; }; }

# The manifest names folders that this product does not need; they must exist.
needed='Package.swift Sources Conformance Benchmarks Tests Docs/Examples'
for folder in $needed; do rm -rf "${copy:?}/$folder"; done
# shellcheck disable=SC2086
tar -cf - --exclude .build $needed | tar -xpf - -C "$copy" || exit 2
build
program=$copy/.build/debug/SharedPostgres
"$program" memory >"$copy/rules.log" || { cat "$copy/rules.log" >&2; echo "A rule is broken without a fault." >&2; exit 1; }

missed=0
found=0
for patch in "$root"/Conformance/NearMutants/*.patch; do
    name=$(basename "$patch" .patch)
    case " $* " in "  " | *" $name "*) ;; *) continue ;; esac
    rule=$(sed -n 's/^Found by: //p' "$patch")
    patch -s -p1 -d "$copy" <"$patch" || { echo "$name does not fit the sources any more." >&2; exit 2; }
    build
    if "$program" memory "$rule" >"$copy/rules.log" 2>&1; then
        echo "$name IS NOT FOUND by $rule: $(sed -n 1p "$patch")"
        missed=$((missed + 1))
    elif ! grep -q "^$rule IS BROKEN" "$copy/rules.log"; then
        tail -n 5 "$copy/rules.log" >&2
        echo "$name: the rules did not run." >&2
        exit 2
    else
        echo "$name is found by $rule"
        found=$((found + 1))
    fi
    patch -s -R -p1 -d "$copy" <"$patch" || exit 2
done
echo "Faults of the near cache: $found found, $missed not."
[ "$missed" = 0 ] && [ "$found" != 0 ]
