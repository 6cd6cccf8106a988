#!/bin/sh
# Checks what a tag needs, before the tests: the version, the changelog, the pages, and the privacy manifests. The public interface is in `make full`.
#
#   sh Scripts/release-check.sh [version]    the version that is to be tagged; the tag of the last commit by default, or the kit's version
#
# Prints every fault and ends with 1; ends with 0 if there is none.
set -eu
cd "$(dirname "$0")/.."
faults=0
complain() {
    echo "release-check: $*" >&2
    faults=$((faults + 1))
}

# The one place where the version is written in code.
kit=$(sed -n 's/.*static let kit = "\([^"]*\)".*/\1/p' Conformance/Kit/Run/ConformanceReport.swift)
[ -n "$kit" ] || complain "Conformance/Kit/Run/ConformanceReport.swift says no version"
version=${1:-$(git describe --tags --exact-match --match '[0-9]*' 2>/dev/null || echo "$kit")}
[ "$version" = "$kit" ] || complain "the version is $version, and Conformance/Kit/Run/ConformanceReport.swift says $kit"
echo "$version" | grep -Eq '^[0-9]+\.[0-9]+\.[0-9]+$' || complain "$version is no version: three numbers are"

heading=$(grep -n "^## \[$version\]" CHANGELOG.md || true)
[ -n "$heading" ] || complain "CHANGELOG.md has no heading \"## [$version] - date\""
[ -z "$heading" ] || echo "$heading" | grep -Eq ' - [0-9]{4}-[0-9]{2}-[0-9]{2}$' ||
    complain "the heading of $version in CHANGELOG.md has no date: \"## [$version] - $(date -u +%Y-%m-%d)\""
awk -v version="$version" '
    /^## / { inside = index($0, "[" version "]") > 0; next }
    inside && /^- / { lines++ }
    END { exit lines == 0 }' CHANGELOG.md || complain "CHANGELOG.md says nothing of $version"

for page in README.md Docs/Guides/Cacheable.md Docs/Guides/Observing.md Docs/Guides/Modules.md; do
    grep -o 'from: "[0-9.]*"' "$page" | sed 's/from: //' | grep -v "^\"$version\"$" | while read -r other; do
        echo "$other"
    done | grep -q . && complain "$page names another version than $version in a dependency"
done
! grep -q 'no public address yet\|no tag yet\|is not released' README.md Docs/Guides/Modules.md CHANGELOG.md ||
    complain "a page still says that nothing is released: grep -n 'no public address yet\\|no tag yet\\|is not released' README.md Docs/Guides/Modules.md CHANGELOG.md"

sh Scripts/links.sh || complain "links of pages are broken"

# The privacy manifests, of the modules that call what an App Store asks about.
manifests=0
for manifest in $(find Sources -name 'PrivacyInfo.xcprivacy'); do
    manifests=$((manifests + 1))
    if command -v python3 >/dev/null 2>&1; then
        python3 -c "import plistlib, sys; plistlib.load(open(sys.argv[1], 'rb'))" "$manifest" 2>/dev/null || complain "$manifest is no property list"
    fi
done
[ "$manifests" -ge 3 ] || complain "of three privacy manifests there are $manifests"

[ -z "$(git status --porcelain)" ] || complain "there are changes that are not committed"
[ "$faults" = 0 ] || { echo "release-check: $faults faults; $version is not to be tagged" >&2 && exit 1; }
echo "release-check: $version may be tagged once \`make full\` has passed"
