// swift-tools-version: 6.2
import PackageDescription

// A package of its own: what an outbox costs, in a release build.
let package = Package(
    name: "Outbox",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Grove", path: "../..")],
    targets: [
        .executableTarget(
            name: "Outbox",
            dependencies: [
                .product(name: "Grove", package: "Grove"), .product(name: "GroveCache", package: "Grove"),
                .product(name: "GroveCoding", package: "Grove"), .product(name: "GroveLMDB", package: "Grove"),
                .product(name: "GroveMemory", package: "Grove"), .product(name: "GroveOutbox", package: "Grove"),
                .product(name: "GroveSQLite", package: "Grove"),
            ])
    ]
)
