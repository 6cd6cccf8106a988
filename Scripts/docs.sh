#!/bin/sh
# Makes a site of the guides and of the reference with DocC, in .build/docs/site. `make docs` builds the modules first.
#
# Fails on a link that leads nowhere, of a page or of a documentation comment, and if a page of the site writes to Chromium's console.
#
#   DOCS_BASE     the path at which the site will be, such as /grove
#   DOCS_SOURCE   the address of the sources, such as https://github.com/YOU/grove/blob/main: pages link to files there
set -eu
cd "$(dirname "$0")/.."
command -v python3 >/dev/null 2>&1 || { echo "docs: no python3" >&2; exit 1; }
tools=$(dirname "$(readlink -f "$(command -v swift)")")
[ -x "$tools/docc" ] || tools=$(dirname "$(xcrun --find docc)")
place=.build/docs
rm -rf "$place/symbols" "$place/site"
mkdir -p "$place/symbols"

# The modules that an application or its tests import.
modules="GroveModel GroveConsistency GroveProviders GroveMacros GroveOutbox GroveCache GroveCoding GroveSQLite GroveLMDB GroveLevelDB GroveMemory
    GroveTesting GroveTestingTraits GroveLogging GroveMetrics GroveShared"
target=$(swiftc -print-target-info | sed -n 's/.*"triple": "\([^"]*\)".*/\1/p' | head -n 1)
set -- -target "$target" -I .build/debug/Modules -module-cache-path "$place/cache" -output-dir "$place/symbols"
for library in Sources/CLibraries/*/; do set -- "$@" -I "$library"; done
[ "$(uname -s)" != Darwin ] || set -- "$@" -sdk "$(xcrun --show-sdk-path)" -Xcc "-I$(brew --prefix)/include"
for module in $modules; do
    "$tools/swift-symbolgraph-extract" -module-name "$module" -minimum-access-level public -skip-synthesized-members \
        -omit-extension-block-symbols "$@"
done

convert() {
    "$tools/docc" convert "$place/catalogue/Grove.docc" --additional-symbol-graph-dir "$place/catalogue/graphs" \
        --output-dir "$place/site" --fallback-bundle-identifier org.grove.documentation --fallback-default-module-kind Module \
        --hosting-base-path "${DOCS_BASE:-/}" --diagnostics-file "$place/diagnostics.json" >"$place/docc.log" 2>&1 ||
        { cat "$place/docc.log" >&2; exit 1; }
}
python3 Scripts/docs.py catalogue "$place/symbols" "$place/catalogue"
# Twice: what the first run says of calls that have a form for `await` decides which form a link means.
convert
python3 Scripts/docs.py fix "$place/catalogue" "$place/diagnostics.json"
convert
python3 Scripts/docs.py check "$place/diagnostics.json"
echo "docs: $(find "$place/site/documentation" -name index.html | wc -l | tr -d ' ') pages in $place/site"
if command -v "${CHROMIUM:-chromium}" >/dev/null 2>&1 && [ -z "${DOCS_BASE:-}" ]; then
    sh Scripts/site.sh "$place/site" documentation/grove documentation/grove/gettingstarted documentation/grovecache/normalizedcache
fi
