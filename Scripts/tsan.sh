#!/bin/sh
# Runs the tests of models, engine and providers under the thread sanitizer: sh Scripts/tsan.sh [filter]
#
# On Linux the sanitizer does not see into Synchronization.Mutex, which tests use, and reports what it guards. So in a copy of
# them Mutex is Grove's own lock; nothing else differs.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
copy=${TSAN_SCRATCH:-$(mktemp -d)}
trap 'test -n "${TSAN_SCRATCH:-}" || rm -rf "$copy"' EXIT
mkdir -p "$copy/Sources" "$copy/Tests"
for module in GrovePlatform GroveModel GroveCoding GroveConsistency GroveProviders Grove GroveCache GroveInspect Backends CLibraries; do
    rm -rf "$copy/Sources/$module"
    cp -R "$root/Sources/$module" "$copy/Sources/$module"
done
for tests in TestSupport GroveModelTests GroveCodingTests GroveConsistencyTests GroveProvidersTests; do
    rm -rf "$copy/Tests/$tests"
    cp -R "$root/Tests/$tests" "$copy/Tests/$tests"
done
# Read the vectors, which are not copied, and have one thread.
for tests in FuzzTests GoldenRecordTests FrozenFormatTests; do rm -f "$copy/Tests/GroveCodingTests/$tests.swift"; done
. "$root/Scripts/tsan-linux.sh"
replace_mutex "$copy"/Tests/*
annotate_continuations "$copy"/Sources/* "$copy"/Tests/*
cat > "$copy/Package.swift" <<'SWIFT'
// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]
let model: [Target.Dependency] = ["GroveModel"]
func backend(_ name: String, _ library: String? = nil) -> Target {
    .target(
        name: "Grove\(name)", dependencies: model + ["GroveCache", "GroveCoding"] + (library.map { [.init(stringLiteral: $0)] } ?? []),
        path: "Sources/Backends/\(name)", swiftSettings: settings)
}
let package = Package(
    name: "Grove", platforms: [.macOS(.v15)],
    targets: [
        .target(name: "GrovePlatform", swiftSettings: settings),
        .target(name: "GroveModel", dependencies: ["GrovePlatform"], swiftSettings: settings),
        .target(name: "GroveConsistency", dependencies: model, swiftSettings: settings),
        .target(name: "GroveProviders", dependencies: model + ["GroveConsistency"], swiftSettings: settings),
        .target(name: "Grove", dependencies: model + ["GroveConsistency", "GroveProviders"], swiftSettings: settings),
        .target(name: "GroveCoding", dependencies: model, swiftSettings: settings),
        .target(name: "GroveCache", dependencies: model + ["GroveCoding"], swiftSettings: settings),
        .target(name: "GroveInspect", dependencies: model + ["GroveCoding", "GroveCache"], swiftSettings: settings),
        .systemLibrary(name: "CLMDB", path: "Sources/CLibraries/CLMDB"),
        .systemLibrary(name: "CSQLite", path: "Sources/CLibraries/CSQLite"),
        .systemLibrary(name: "CLevelDB", path: "Sources/CLibraries/CLevelDB"),
        backend("Memory"), backend("LMDB", "CLMDB"), backend("SQLite", "CSQLite"), backend("LevelDB", "CLevelDB"),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(name: "GroveModelTests", dependencies: model, swiftSettings: settings),
        .testTarget(name: "GroveCodingTests", dependencies: model + ["GroveCoding", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "GroveConsistencyTests", dependencies: model + ["GroveConsistency", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "GroveProvidersTests",
            dependencies: model + [
                "Grove", "GroveProviders", "GroveConsistency", "GroveMemory", "GroveLMDB", "GroveSQLite", "GroveLevelDB", "GroveCache", "GroveInspect",
                "GroveCoding", "TestSupport",
            ],
            swiftSettings: settings),
    ])
SWIFT
TSAN_OPTIONS="halt_on_error=0 exitcode=66" swift test --package-path "$copy" --sanitize=thread --no-parallel \
    --skip '[./][Ss]low[A-Z]' --skip '[./][Rr]ealData' --filter "${1:-Tests}"
