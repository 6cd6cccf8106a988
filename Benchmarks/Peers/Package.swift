// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that no client of Grove fetches GRDB.
let package = Package(
    name: "Peers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Grove", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "Peers",
            dependencies: [
                .product(name: "GroveCache", package: "Grove"), .product(name: "GroveCoding", package: "Grove"),
                .product(name: "GroveLMDB", package: "Grove"), .product(name: "GroveLevelDB", package: "Grove"),
                .product(name: "GroveMemory", package: "Grove"), .product(name: "GroveModel", package: "Grove"),
                .product(name: "GroveSQLite", package: "Grove"), .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .executableTarget(
            name: "Screens",
            dependencies: [
                .product(name: "Grove", package: "Grove"), .product(name: "GroveCache", package: "Grove"),
                .product(name: "GroveCoding", package: "Grove"), .product(name: "GroveSQLite", package: "Grove"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
    ]
)
