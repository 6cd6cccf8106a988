// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Measurement",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Grove", path: "../../..", traits: ["Macros"])],
    targets: [
        .executableTarget(
            name: "Measurement",
            dependencies: [
                .product(name: "GroveLMDB", package: "Grove"), .product(name: "GroveLevelDB", package: "Grove"),
                .product(name: "GroveMacros", package: "Grove"), .product(name: "GroveMemory", package: "Grove"),
                .product(name: "GroveSQLite", package: "Grove"),
            ])
    ]
)
