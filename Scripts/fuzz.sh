#!/bin/sh
# Fuzzes the reading of records with libFuzzer and the address sanitizer.
#
#   sh Scripts/fuzz.sh [executions]    how often, 200,000 by default
#
# It begins with records of the kit's types as this version writes them, and with what earlier runs found, all in
# .build/fuzz/corpus. An input that ends the process goes to .build/fuzz/crash-*. Ends with libFuzzer's status, 0 where
# nothing was found.
set -eu
cd "$(dirname "$0")/.."
runs=${1:-200000}
swiftc=${SWIFTC:-swiftc}
out=.build/fuzz
mkdir -p "$out/corpus"

features='-swift-version 6 -package-name grove -strict-memory-safety -enable-upcoming-feature ExistentialAny
-enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility'
sanitizers='-sanitize=fuzzer,address'
if ! printf '@_cdecl("LLVMFuzzerTestOneInput") public func f(_ s: UnsafePointer<UInt8>?, _ n: Int) -> CInt { 0 }\n' \
    | $swiftc $sanitizers -parse-as-library -o "$out/probe" - 2>/dev/null; then
    echo "SKIPPED: this Swift compiler comes without libFuzzer"
    exit 0
fi

# A module is built again if one of its files is newer than its object file.
module() {
    name=$1
    folder=$2
    if [ -f "$out/$name.o" ] && [ -z "$(find "$folder" -name '*.swift' -newer "$out/$name.o")" ]; then return; fi
    echo "Compiling $name"
    find "$folder" -name '*.swift' | sort > "$out/$name.files"
    # shellcheck disable=SC2086
    $swiftc -O -wmo -parse-as-library $features $sanitizers -I "$out" -module-name "$name" \
        -emit-module -emit-module-path "$out/$name.swiftmodule" -emit-object -o "$out/$name.o" "@$out/$name.files"
}
module GrovePlatform Sources/GrovePlatform
module GroveModel Sources/GroveModel
module GroveCoding Sources/GroveCoding
module GroveCache Sources/GroveCache
module GroveInspect Sources/GroveInspect
module GroveMemory Sources/Backends/Memory

# shellcheck disable=SC2046,SC2086
$swiftc -O -wmo -parse-as-library $features $sanitizers -I "$out" -module-name RecordFuzz -o "$out/record-fuzz" \
    Conformance/Fuzz/*.swift $(ls Conformance/Kit/Models/*.swift | grep -v Golden) \
    Conformance/Kit/Interception/CommitGate.swift Conformance/Kit/CheckFailure.swift "$out/GrovePlatform.o" "$out/GroveModel.o" \
    "$out/GroveCoding.o" "$out/GroveCache.o" "$out/GroveInspect.o" "$out/GroveMemory.o"

exec "$out/record-fuzz" "$out/corpus" -runs="$runs" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$out/"
