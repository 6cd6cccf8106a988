#!/bin/sh
# Makes a fifth backend, over RocksDB, outside of this clone: the template under another name, with the store in Conformance/FifthBackend.
# Checks it by all rules, compares it, makes a page of both, and then breaks it in six ways, each of which the kit must find.
#
#   sh Scripts/fifth-backend.sh [folder]     needs librocksdb-dev
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ -e /usr/include/rocksdb/c.h ] || { echo "fifth-backend: RocksDB is not here (Debian: apt-get install librocksdb-dev)" >&2; exit 1; }
work=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
package=$work/Rocks
[ -d "$package" ] || sh "$root/Scripts/new-backend.sh" Rocks "$package" >/dev/null
cp -R "$root/Conformance/FifthBackend/CRocks" "$package/Sources/"
restore() { cp "$root"/Conformance/FifthBackend/Rocks*.swift "$package/Sources/RocksStore/"; }
cp "$root/Conformance/FifthBackend/main.swift" "$package/Sources/RocksConformance/"
restore
grep -q CRocks "$package/Package.swift" || sed -i \
    -e 's|^    targets: \[|    targets: [\n        .systemLibrary(name: "CRocks"),|' \
    -e '0,/name: "RocksStore",$/s||name: "RocksStore",|' \
    -e '0,/            dependencies: \[/s||            dependencies: [\n                "CRocks",|' "$package/Package.swift"

build() { swift build -c release --package-path "$package" >"$work/build.log" 2>&1 || { grep error: "$work/build.log" >&2; exit 1; }; }
build
program=$package/.build/release/RocksConformance
"$program" --format html --output "$work/conformance.html" || { echo "fifth-backend: the store does not conform: $work/conformance.html" >&2; exit 1; }
echo "RocksDB conforms: $work/conformance.html"
"$package/.build/release/RocksCompare" --no-rules --format html --output "$work/compare.html"
"$package/.build/release/RocksCompare" --no-rules --for catalogue,server,bulk

# What is wrong, the file, and the edit.
status=0
while IFS='|' read -r what file edit; do
    restore
    sed -i "$edit" "$package/Sources/RocksStore/$file"
    cmp -s "$package/Sources/RocksStore/$file" "$root/Conformance/FifthBackend/$file" && { echo "fifth-backend: no edit for: $what" >&2; exit 1; }
    build
    if "$program" --fail-fast --quiet >"$work/broken.txt" 2>/dev/null; then
        echo "NOT FOUND: $what"
        status=1
    else
        echo "found: $what ($(grep -o '[A-Z][A-Z][A-Z]-[0-9][0-9]' "$work/broken.txt" | head -n 1))"
    fi
done <<'BREAKS'
a view shows later commits|RocksView.swift|/rocksdb_readoptions_set_snapshot/d
a value of no bytes is absent|RocksView.swift|s/guard let pinned else { return nil }/guard let pinned else { return nil }; var none = 0; _ = rocksdb_pinnableslice_value(pinned, \&none); if none == 0 { return nil }/
a scan goes on behind its prefix|RocksView.swift|s/guard key.starts(with: prefix) else { break }/guard !key.isEmpty else { break }/
a commit is lost in a kill|RocksView.swift|s/let options = rocksdb_writeoptions_create()/let options = rocksdb_writeoptions_create(); rocksdb_writeoptions_disable_WAL(options, 1)/
a transaction that throws is committed|RocksStore.swift|s/        try body(transaction)$/        do throws(CacheError) { try body(transaction) } catch { try transaction.commit(); throw error }/
entries are counted twice if they are written twice|RocksView.swift|s/account.entries += old == nil ? 1 : 0/account.entries += 1/
BREAKS
restore
exit $status
