// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// The architecture, read off the manifest:
//
//   GroveModel  <-  GroveConsistency  <-  GroveProviders  <-  Grove
//   GroveProviders, GroveCache  <-  GroveOutbox
//   GroveCache  <-  GroveShared
//   GroveModel  <-  GroveCoding  <-  GroveCache  <-  GroveMemory | GroveLMDB | GroveSQLite | GroveLevelDB
//                                      ^
//                               GroveConformance  <-  GroveHarnesses  <-  GroveMutants
//
// `GroveCompare`, which measures, depends on the engines, the cache, the consistency engine and the providers; `grove`,
// the tool, on that and on the kit. Each public module is its own product, so that an application links the one engine
// it chose and no other.

// Set by the Makefile. In a dependency SwiftPM suppresses warnings, and the compiler refuses to suppress what it shall
// treat as errors: a package that depends on Grove would not build.
let isDeveloped = Context.environment["GROVE_DEVELOPMENT"] == "1"

let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .strictMemorySafety(),
    ] + (isDeveloped ? [.treatAllWarnings(as: .error)] : [])

/// The settings of what is tested.
///
/// While Grove is developed it is optimised in every build: without that the tests take twice the time, see
/// Docs/Internals/Decisions/0027-traits-and-platforms.md. A debugger shows less then: leave GROVE_DEVELOPMENT out.
let library = strict + (isDeveloped ? [.unsafeFlags(["-O"])] : [])

// What an App Store asks about calls that read file attributes and free space. Where the host builds for no Apple
// system, a resource would only give the module a bundle and full Foundation.
#if os(macOS)
    let privacy: (resources: [Resource], exclude: [String]) = ([.process("PrivacyInfo.xcprivacy")], [])
#else
    let privacy: (resources: [Resource], exclude: [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

/// Products of swift-syntax, which is fetched for the trait `Macros` alone.
func syntax(_ products: String...) -> [Target.Dependency] {
    products.map { .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"])) }
}

let package = Package(
    name: "Grove",
    // The first systems with Synchronization, whose atomics the readers use.
    platforms: [.macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Grove", targets: ["Grove"]),
        .library(name: "GroveModel", targets: ["GroveModel"]),
        .library(name: "GroveCoding", targets: ["GroveCoding"]),
        .library(name: "GroveConsistency", targets: ["GroveConsistency"]),
        .library(name: "GroveProviders", targets: ["GroveProviders"]),
        .library(name: "GroveOutbox", targets: ["GroveOutbox"]),
        .library(name: "GroveCache", targets: ["GroveCache"]),
        .library(name: "GroveMemory", targets: ["GroveMemory"]),
        .library(name: "GroveLMDB", targets: ["GroveLMDB"]),
        .library(name: "GroveSQLite", targets: ["GroveSQLite"]),
        .library(name: "GroveLevelDB", targets: ["GroveLevelDB"]),
        .library(name: "GroveShared", targets: ["GroveShared"]),
        .library(name: "GrovePostgres", targets: ["GrovePostgres"]),
        .library(name: "GroveSharedRules", targets: ["GroveSharedRules"]),
        .library(name: "GroveTesting", targets: ["GroveTesting"]),
        .library(name: "GroveTestingTraits", targets: ["GroveTestingTraits"]),
        .library(name: "GroveConformance", targets: ["GroveConformance"]),
        .library(name: "GroveCompareMain", targets: ["GroveCompareMain"]),
        .library(name: "GroveLogging", targets: ["GroveLogging"]),
        .library(name: "GroveMetrics", targets: ["GroveMetrics"]),
        .library(name: "GroveMacros", targets: ["GroveMacros"]),
        .executable(name: "grove", targets: ["GroveTool"]),
    ],
    // None is on by default: Docs/Internals/Decisions/0027-traits-and-platforms.md.
    traits: [
        .trait(name: "Tool", description: "The command-line tool `grove`; fetches swift-argument-parser."),
        .trait(name: "Macros", description: "The macro `@Cacheable`; fetches swift-syntax."),
        .trait(name: "Logging", description: "An observer for swift-log, GroveLogging; fetches swift-log."),
        .trait(name: "Postgres", description: "PostgreSQL behind a near cache, GrovePostgres; needs libpq."),
        .trait(name: "Metrics", description: "An observer for swift-metrics, GroveMetrics; fetches swift-metrics."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    ],
    targets: [
        // The C library of the platform.
        .target(name: "GrovePlatform", swiftSettings: library),
        .target(name: "GroveModel", dependencies: ["GrovePlatform"], swiftSettings: library),
        .target(name: "GroveConsistency", dependencies: ["GroveModel"], swiftSettings: library),
        .target(name: "GroveProviders", dependencies: ["GroveConsistency", "GroveModel"], swiftSettings: library),
        .target(
            name: "Grove", dependencies: ["GroveModel", "GroveConsistency", "GroveProviders"], swiftSettings: strict),
        .target(name: "GroveCoding", dependencies: ["GrovePlatform", "GroveModel"], swiftSettings: library),
        .target(
            name: "GroveCache", dependencies: ["GrovePlatform", "GroveCoding", "GroveModel"], exclude: privacy.exclude,
            resources: privacy.resources, swiftSettings: library),
        // What a store holds, record by record: for the tool, measurements and tests. No product for applications has
        // it.
        .target(
            name: "GroveInspect", dependencies: ["GroveCache", "GroveCoding", "GroveModel"], swiftSettings: library),
        .target(
            name: "GroveOutbox",
            dependencies: [
                "GrovePlatform", "GroveCache", "GroveConsistency", "GroveModel", "GroveProviders",
            ],
            swiftSettings: library),

        .target(
            name: "GroveMacrosCode",
            dependencies: syntax("SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros"),
            path: "Sources/GroveMacrosPlugin/Code"),
        .macro(
            name: "GroveMacrosPlugin",
            dependencies: ["GroveMacrosCode"] + syntax("SwiftCompilerPlugin", "SwiftSyntax", "SwiftSyntaxMacros"),
            path: "Sources/GroveMacrosPlugin/Plugin"),
        .target(
            name: "GroveMacros",
            dependencies: [
                "GroveCoding", "GroveModel", .target(name: "GroveMacrosPlugin", condition: .when(traits: ["Macros"])),
            ], swiftSettings: strict),

        .systemLibrary(
            name: "CLMDB", path: "Sources/CLibraries/CLMDB",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/CLibraries/CSQLite",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CLevelDB", path: "Sources/CLibraries/CLevelDB",
            providers: [.apt(["libleveldb-dev"]), .brew(["leveldb"])]),

        .target(
            name: "GroveMemory", dependencies: ["GrovePlatform", "GroveCache", "GroveCoding", "GroveModel"],
            path: "Sources/Backends/Memory", swiftSettings: library),
        .target(
            name: "GroveLMDB", dependencies: ["GrovePlatform", "GroveCache", "GroveCoding", "GroveModel", "CLMDB"],
            path: "Sources/Backends/LMDB", exclude: privacy.exclude, resources: privacy.resources,
            swiftSettings: library
        ),
        .target(
            name: "GroveSQLite", dependencies: ["GrovePlatform", "GroveCache", "GroveCoding", "GroveModel", "CSQLite"],
            path: "Sources/Backends/SQLite", swiftSettings: library),
        .target(
            name: "GroveLevelDB",
            dependencies: ["GrovePlatform", "GroveCache", "GroveCoding", "GroveModel", "CLevelDB"],
            path: "Sources/Backends/LevelDB", exclude: privacy.exclude, resources: privacy.resources,
            swiftSettings: library),

        .target(
            name: "GroveShared", dependencies: ["GroveCache", "GroveCoding", "GroveModel"], swiftSettings: strict),

        // For tests and previews of applications. What imports Testing is apart: no preview may link that.
        .target(
            name: "GroveTesting", dependencies: ["GroveCache", "GroveMemory", "GroveModel"], swiftSettings: strict),
        .target(name: "GroveTestingTraits", dependencies: ["GroveTesting"], swiftSettings: strict),

        // Empty where their trait is off.
        .target(
            name: "GroveLogging",
            dependencies: [
                "GroveCache", "GroveModel",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
            ], path: "Sources/Adapters/Logging", swiftSettings: strict),
        .target(
            name: "GroveMetrics",
            dependencies: [
                "GroveCache", "GroveModel",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
            ], path: "Sources/Adapters/Metrics", swiftSettings: strict),

        .systemLibrary(
            name: "CPostgres", path: "Sources/CLibraries/CPostgres",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "GrovePostgres",
            dependencies: [
                "GrovePlatform", "GroveShared", "GroveCoding", "GroveModel",
                .target(name: "CPostgres", condition: .when(traits: ["Postgres"])),
            ], path: "Sources/Adapters/Postgres", swiftSettings: strict),

        .target(
            name: "GroveConformance", dependencies: ["GrovePlatform", "GroveCache", "GroveCoding", "GroveModel"],
            path: "Conformance/Kit", swiftSettings: strict),
        // No product holds it, as it links all engines.
        .target(
            name: "GroveHarnesses",
            dependencies: ["GroveConformance", "GroveMemory", "GroveLMDB", "GroveSQLite", "GroveLevelDB"],
            path: "Conformance/Harnesses", swiftSettings: strict),
        .target(
            name: "GroveMutants",
            dependencies: [
                "GrovePlatform", "GroveConformance", "GroveHarnesses", "GroveCache", "GroveCoding", "GroveModel",
            ],
            path: "Conformance/Mutants", swiftSettings: strict),

        // Rules for what stands behind GroveShared, for any database.
        .target(
            name: "GroveSharedRules",
            dependencies: ["GroveShared", "GroveMemory", "GroveCache", "GroveCoding", "GroveModel"],
            path: "Conformance/Shared", swiftSettings: strict),

        // The same over PostgreSQL, for `make shared`.
        .executableTarget(
            name: "SharedPostgres",
            dependencies: [
                "GrovePostgres", "GroveShared", "GroveSharedRules", "GroveCache", "GroveCoding", "GroveMemory",
                "GroveModel", "GroveSQLite",
            ],
            path: "Conformance/SharedPostgres", swiftSettings: strict),

        // C files are not linked by the module maps' `link` on Linux, so this target names its libraries.
        .target(
            name: "GroveFloor", dependencies: ["CLMDB", "CSQLite", "CLevelDB"], path: "Benchmarks/Floor",
            linkerSettings: [.linkedLibrary("lmdb"), .linkedLibrary("sqlite3"), .linkedLibrary("leveldb")]),
        // Workloads, floors, traces and documents as models: what the tool measures with. No product holds it.
        .target(
            name: "GroveCompare",
            dependencies: [
                "GrovePlatform", "GroveInspect", "GroveCache", "GroveCoding", "GroveModel", "GroveMemory", "GroveLMDB",
                "GroveSQLite",
                "GroveLevelDB",
                "GroveFloor", "GroveConsistency", "GroveProviders",
            ], path: "Benchmarks/Compare", swiftSettings: strict),
        // The main program that compares a backend of others with Grove's.
        .target(
            name: "GroveCompareMain",
            dependencies: ["GrovePlatform", "GroveCompare", "GroveConformance", "GroveCache", "GroveCoding"],
            path: "Benchmarks/CompareMain", swiftSettings: strict),
        .executableTarget(
            name: "GroveTool",
            dependencies: [
                "GrovePlatform", "GroveCompare", "GroveInspect", "GroveCache", "GroveCoding", "GroveModel",
                "GroveConformance",
                "GroveHarnesses",
                "GroveMutants", "GroveShared",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser",
                    condition: .when(traits: ["Tool"])),
            ],
            swiftSettings: strict),

        .testTarget(
            name: "GroveMacrosTests",
            dependencies: [
                "GroveMacros", "GroveMacrosCode", "GroveModel", "GroveInspect", "GroveCache", "GroveMemory",
                "TestSupport",
            ]
                + syntax(
                    "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion",
                    "SwiftSyntaxMacros", "SwiftSyntaxMacrosGenericTestSupport"),
            swiftSettings: strict),
        .testTarget(name: "GroveModelTests", dependencies: ["GroveModel", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "GroveCodingTests", dependencies: ["GrovePlatform", "GroveCoding", "GroveModel", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "GroveConsistencyTests", dependencies: ["GroveConsistency", "GroveModel", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "GroveProvidersTests",
            dependencies: [
                "Grove", "GroveProviders", "GroveConsistency", "GroveModel", "GroveMemory", "GroveLMDB", "GroveSQLite",
                "GroveLevelDB", "GroveInspect", "GroveCache", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GroveOutboxTests",
            dependencies: [
                "GroveOutbox", "Grove", "GroveProviders", "GroveConsistency", "GroveModel", "GroveMemory", "GroveLMDB",
                "GroveSQLite", "GroveLevelDB", "GroveCache", "GroveConformance", "TestSupport",
            ], swiftSettings: strict),
        .testTarget(
            name: "GroveCacheTests",
            dependencies: [
                "GrovePlatform", "GroveInspect", "GroveCache", "GroveCoding", "GroveModel", "GroveMemory",
                "StoreTesting",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GroveAdapterTests",
            dependencies: [
                "GroveLogging", "GroveMetrics", "GroveCache", "GroveModel", "GroveMemory",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
            ], swiftSettings: strict),
        // What all tests share.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        // What the tests of stores and of policies share; it imports Testing, so that no product may hold it.
        .target(
            name: "StoreTesting", dependencies: ["GrovePlatform", "GroveCache", "GroveModel", "TestSupport"],
            path: "Tests/StoreTesting",
            swiftSettings: strict),
        .testTarget(
            name: "GroveMemoryTests",
            dependencies: ["GroveMemory", "GroveCache", "GroveModel", "StoreTesting", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "GroveLevelDBTests",
            dependencies: ["GrovePlatform", "GroveLevelDB", "GroveCache", "GroveModel", "StoreTesting", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "GroveLMDBTests",
            dependencies: [
                "GrovePlatform", "GroveLMDB", "GroveCache", "GroveModel", "StoreTesting", "TestSupport", "CLMDB",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GroveSQLiteTests",
            dependencies: [
                "GroveSQLite", "GroveCache", "GroveCoding", "GroveModel", "StoreTesting", "TestSupport", "CSQLite",
            ],
            swiftSettings: strict),
        // The example of Docs/Backends/ImplementingABackend: a backend, and the executable that checks it.
        .target(
            name: "FileStore", dependencies: ["GroveCache", "GroveModel"],
            path: "Docs/Examples/FileStore", swiftSettings: strict),
        .executableTarget(
            name: "FileStoreConformance", dependencies: ["FileStore", "GroveConformance"],
            path: "Docs/Examples/FileStoreConformance", swiftSettings: strict),
        .executableTarget(
            name: "FileStoreCompare", dependencies: ["FileStore", "GroveCompareMain", "GroveConformance"],
            path: "Docs/Examples/FileStoreCompare", swiftSettings: strict),
        // An application over the cache, for people to copy, and its tests: a build without the trait `Macros` leaves
        // it out.
        .testTarget(
            name: "FeedExample",
            dependencies: ["GroveLMDB", "GroveSQLite", "GroveLevelDB", "GroveMemory", "GroveMacros"],
            path: "Docs/Examples/Feed", swiftSettings: strict),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "GroveConformance", "GroveHarnesses", "GroveMutants", "GroveCache", "GroveModel", "FileStore",
                "FileStoreConformance", "FileStoreCompare", "GroveCompareMain",
            ], swiftSettings: strict),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "Grove", "GroveSQLite", "GroveMemory", "GroveMacros", "GroveModel", "GroveConsistency",
                "GroveProviders", "GroveCache", "GroveCoding", "GroveOutbox", "GroveTesting", "TestSupport", "TwoPanes",
            ], swiftSettings: strict),
        .testTarget(
            name: "GroveTestingTests", dependencies: ["GroveTestingTraits", "GroveTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "GroveSharedTests",
            dependencies: [
                "Grove", "GroveShared", "GroveSharedRules", "GroveCache", "GroveCoding", "GroveModel", "GroveMemory",
                "GroveProviders",
            ], swiftSettings: strict),
        .testTarget(
            name: "GroveCompareTests",
            dependencies: ["GroveCompare", "GroveInspect", "GroveCache", "GroveCoding", "GroveModel", "StoreTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "GroveToolTests", dependencies: ["GrovePlatform", "GroveTool", "GroveCompare", "GroveCache"],
            swiftSettings: strict),
        // Four small applications over the providers, for people to copy, and their tests.
        .testTarget(
            name: "PatternsExample",
            dependencies: ["Grove", "GroveLMDB", "GroveMemory", "GroveMacros", "GroveTesting"],
            path: "Docs/Examples/Patterns", swiftSettings: strict),
        // A reader of ActivityPub, a format that others made, for people to copy, and its tests.
        .testTarget(
            name: "FediverseExample",
            dependencies: ["Grove", "GroveCache", "GroveMacros", "GroveSQLite", "GroveTesting"],
            path: "Docs/Examples/Fediverse", exclude: ["Documents"], swiftSettings: strict),
        // A terminal application of two panes, for people to run: `swift run TwoPanes sqlite FOLDER`. ExamplesTests
        // runs it.
        .executableTarget(
            name: "TwoPanes",
            dependencies: [
                "Grove", "GroveOutbox", "GroveLMDB", "GroveSQLite", "GroveLevelDB", "GroveMemory",
            ],
            path: "Docs/Examples/TwoPanes", swiftSettings: strict),
        // A chat that works offline, over an outbox, for people to copy, and its tests.
        .testTarget(
            name: "ChatExample", dependencies: ["Grove", "GroveOutbox", "GroveLMDB", "GroveMacros"],
            path: "Docs/Examples/Chat", swiftSettings: strict),
    ]
)
