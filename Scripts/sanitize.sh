#!/bin/sh
# Checks the rules of the conformance kit on every backend under a sanitizer: sh Scripts/sanitize.sh thread|address [rule …]
#
# As Scripts/tsan.sh it builds a copy, in which the kit's Mutex is one that the thread sanitizer sees into. Left out are the rules
# that preload a library into their processes, which would come before the sanitizer's own, and those that take a minute
# and more without it. SANITIZE_SCRATCH keeps the copy.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
kind=${1:?thread or address}
shift
copy=${SANITIZE_SCRATCH:-$(mktemp -d)}
trap 'test -n "${SANITIZE_SCRATCH:-}" || rm -rf "$copy"' EXIT
rm -rf "$copy/Sources" "$copy/logs"
mkdir -p "$copy/Sources/Main" "$copy/logs"
for module in Sources/GrovePlatform Sources/GroveModel Sources/GroveCoding Sources/GroveCache Sources/Backends Sources/CLibraries \
    Conformance/Kit Conformance/Harnesses; do
    cp -R "$root/$module" "$copy/Sources/"
done
. "$root/Scripts/tsan-linux.sh"
replace_mutex "$copy"/Sources/Kit
test "$kind" != thread || annotate_continuations "$copy"/Sources/*
# A sanitizer makes a rule some ten times slower, which is no fault of the backend.
sed -i.bak 's/self\.timeLimit = timeLimit$/self.timeLimit = timeLimit * 10/' "$copy/Sources/Kit/Rule.swift"
grep -q 'timeLimit \* 10' "$copy/Sources/Kit/Rule.swift"
rm "$copy/Sources/Kit/Rule.swift.bak"
cat > "$copy/Sources/Main/main.swift" <<'SWIFT'
import Foundation
import GroveConformance
import GroveHarnesses

let name = CommandLine.arguments[1]
let worker = WorkerCommand(executable: WorkerCommand.ownExecutable, arguments: [name, "--worker"])
guard let backend = Harnesses.backend(name, worker: worker) else { exit(2) }
exit(await ConformanceMain.main(backend, arguments: Array(CommandLine.arguments.dropFirst(2))))
SWIFT
cat > "$copy/Package.swift" <<'SWIFT'
// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
]
func backend(_ name: String, _ library: String? = nil) -> Target {
    .target(
        name: "Grove\(name)",
        dependencies: ["GroveCache", "GroveCoding", "GroveModel"] + (library.map { [.init(stringLiteral: $0)] } ?? []),
        path: "Sources/Backends/\(name)", swiftSettings: settings)
}
let backends: [Target.Dependency] = ["GroveMemory", "GroveLMDB", "GroveSQLite", "GroveLevelDB"]
let package = Package(
    name: "Grove", platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CLMDB", path: "Sources/CLibraries/CLMDB"),
        .systemLibrary(name: "CSQLite", path: "Sources/CLibraries/CSQLite"),
        .systemLibrary(name: "CLevelDB", path: "Sources/CLibraries/CLevelDB"),
        .target(name: "GrovePlatform", path: "Sources/GrovePlatform", swiftSettings: settings),
        .target(
            name: "GroveModel", dependencies: ["GrovePlatform"], path: "Sources/GroveModel", swiftSettings: settings),
        .target(name: "GroveCoding", dependencies: ["GroveModel"], path: "Sources/GroveCoding", swiftSettings: settings),
        .target(
            name: "GroveCache", dependencies: ["GroveCoding", "GroveModel"], path: "Sources/GroveCache",
            swiftSettings: settings),
        backend("Memory"), backend("LMDB", "CLMDB"), backend("SQLite", "CSQLite"), backend("LevelDB", "CLevelDB"),
        .target(
            name: "GroveConformance", dependencies: ["GroveCache", "GroveCoding", "GroveModel"], path: "Sources/Kit",
            swiftSettings: settings),
        .target(
            name: "GroveHarnesses", dependencies: backends + ["GroveConformance"], path: "Sources/Harnesses",
            swiftSettings: settings),
        .executableTarget(
            name: "kit", dependencies: ["GroveConformance", "GroveHarnesses"], path: "Sources/Main", swiftSettings: settings),
    ])
SWIFT
swift build --package-path "$copy" --sanitize="$kind" --product kit
kit=$(swift build --package-path "$copy" --sanitize="$kind" --show-bin-path)/kit
options="log_path=$copy/logs/$kind halt_on_error=0 exitcode=0 detect_leaks=0"
symbolizer=$(command -v llvm-symbolizer || true)
test -z "$symbolizer" || options="$options external_symbolizer_path=$symbolizer"
rules=
for rule in "$@"; do rules="$rules --rule $rule"; done
if test -z "$rules"; then
    left_out='EVC-01 EVC-05 EVC-10'
    echo "Left out: $left_out (they take too long), and what needs a C compiler."
    for rule in $("$kit" memory --list | cut -d' ' -f1); do
        case " $left_out " in *" $rule "*) ;; *) rules="$rules --rule $rule" ;; esac
    done
fi
status=0
for backend in ${BACKENDS:-memory lmdb sqlite leveldb}; do
    # Without a path there is no compiler, and so no library to preload.
    # shellcheck disable=SC2086
    TSAN_OPTIONS="$options" ASAN_OPTIONS="$options" PATH=/nonexistent "$kit" "$backend" $rules || status=1
done
for log in "$copy/logs"/*; do
    test -e "$log" || continue
    # A process of DUR-06 or DUR-07 that reads a damaged copy on LMDB may end by a fault, which the rule counts.
    if grep -q 'ERROR: .*\(BUS\|SEGV\) on' "$log" && grep -q PeerProcess "$log" && ! grep -q 'WARNING: ' "$log"; then
        echo "A process that looked at a damaged copy ended by a fault, which its rule allows on LMDB alone."
        continue
    fi
    status=1
    grep -m 3 -A 12 -E 'WARNING: |ERROR: ' "$log" || true
done
exit $status
