#!/bin/sh
# Makes a package for a backend of your own: sh Scripts/new-backend.sh Mine [folder]
#
# It holds a store that works, which is the example of Docs/Backends/ImplementingABackend.md under your name, an executable
# that checks it with the conformance kit, one that compares it with Grove's backends, and tests with a case for each rule. Replace the store by yours, step by step.
# The package depends on this clone by its path.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
name=${1:-}
folder=${2:-$name}

fail() {
    printf 'new-backend: %s\n' "$1" >&2
    exit 2
}

case $name in
'') fail "say what it is called: sh Scripts/new-backend.sh Mine [folder]" ;;
[A-Z]*) ;;
*) fail "$name does not begin with a capital letter, as the names of types do" ;;
esac
case $name in
*[!A-Za-z0-9]*) fail "$name holds something else than letters and digits" ;;
Grove* | File) fail "$name is a name of Grove's own" ;;
esac
[ ! -e "$folder" ] || fail "$folder is there already"
lower=$(printf %s "$name" | tr '[:upper:]' '[:lower:]')
# SwiftPM calls a package at a path by the last part of it.
package=$(basename "$root")

mkdir -p "$folder/Sources/${name}Store" "$folder/Sources/${name}Conformance" "$folder/Sources/${name}Compare" "$folder/Tests/${name}Tests"
rename() {
    sed -e "s/File\(Store\|View\|Transaction\|Harness\)/$name\1/g" -e "s/name: \"files\"/name: \"$lower\"/" "$1"
}
rename "$root/Docs/Examples/FileStore/FileStore.swift" >"$folder/Sources/${name}Store/${name}Store.swift"
rename "$root/Docs/Examples/FileStore/FileView.swift" >"$folder/Sources/${name}Store/${name}View.swift"

cat >"$folder/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "$name",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "${name}Store", targets: ["${name}Store"])],
    dependencies: [.package(path: "$root")],
    targets: [
        .target(
            name: "${name}Store",
            dependencies: [
                .product(name: "GroveCache", package: "$package"), .product(name: "GroveModel", package: "$package"),
            ]),
        // Checks the store: swift run ${name}Conformance --help
        .executableTarget(
            name: "${name}Conformance",
            dependencies: ["${name}Store", .product(name: "GroveConformance", package: "$package")]),
        // Compares it with Grove's backends: swift run -c release ${name}Compare --help
        .executableTarget(
            name: "${name}Compare",
            dependencies: [
                "${name}Store", .product(name: "GroveCompareMain", package: "$package"),
                .product(name: "GroveConformance", package: "$package"),
            ]),
        .testTarget(
            name: "${name}Tests",
            dependencies: [
                "${name}Store", "${name}Conformance", .product(name: "GroveConformance", package: "$package"),
            ]),
    ]
)
END

rename "$root/Docs/Examples/FileStoreConformance/main.swift" >"$folder/Sources/${name}Conformance/main.swift"

rename "$root/Docs/Examples/FileStoreCompare/main.swift" >"$folder/Sources/${name}Compare/main.swift"

cat >"$folder/Tests/${name}Tests/RuleTests.swift" <<END
import Foundation
import GroveConformance
import Testing

@testable import ${name}Store

/// One case for each rule of Grove's conformance kit.
@Suite struct RuleTests {
    struct Harness: StoreHarness {
        typealias Store = ${name}Store
        let options = ${name}Store.Options()
    }

    /// The executable beside the tests, which the rules start that kill processes.
    static let worker: WorkerCommand? = {
        let places = [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL]
        let paths = places.map { \$0.deletingLastPathComponent().appendingPathComponent("${name}Conformance").path }
        return paths.first { FileManager.default.isExecutableFile(atPath: \$0) }
            .map { WorkerCommand(executable: \$0, arguments: ["--worker"]) }
    }()

    /// Without some that write a hundred thousand nodes, for which a file each takes minutes; the executable checks them.
    static let rules = Rules.checkable(on: Harness(), worker: worker)
        .filter { !["CON-11", "LIF-03", "STO-14", "TXN-10"].contains(\$0.id) }

    @Test(.serialized, arguments: rules)
    func holds(_ rule: Rule) async throws { try await rule.verify(on: Harness(), worker: Self.worker) }
}
END

cat >"$folder/.gitignore" <<END
.build
END

cat <<END
$folder is a package with a store that works. Check it, then put your engine into it:
  cd $folder
  swift run -c release ${name}Conformance --rule 'STO-*'
  swift run -c release ${name}Conformance
  swift run -c release ${name}Compare
  swift test
END
