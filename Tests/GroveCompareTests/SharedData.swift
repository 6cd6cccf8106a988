import Foundation
import GroveCompare
import Testing

/// Real documents that lie beside a checkout in development and are no part of the package.
enum SharedData {
    /// A document and what must come of it.
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let occurrences: Int
        let nodes: Int
        let edges: Int
        let isCyclic: Bool
        var testDescription: String { name }

        var file: String { "\(SharedData.directory)/\(name).json" }
        var rules: String { "\(SharedData.directory)/\(name).identity.json" }
    }

    static let samples = [
        Sample(name: "twitter", occurrences: 346, nodes: 230, edges: 188, isCyclic: false),
        Sample(name: "citm_catalog", occurrences: 9_112, nodes: 444, edges: 3_288, isCyclic: false),
        Sample(name: "spotify_recently_played", occurrences: 192, nodes: 55, edges: 79, isCyclic: false),
        Sample(name: "dnd5e_srd2014", occurrences: 10_852, nodes: 2_317, edges: 8_058, isCyclic: true),
    ]

    /// `shared/data/models`, beside the package's checkout or where GROVE_SHARED_DATA says.
    static let directory: String = {
        if let named = ProcessInfo.processInfo.environment["GROVE_SHARED_DATA"] { return named + "/models" }
        return root.deletingLastPathComponent().appendingPathComponent("shared/data/models").path
    }()

    /// The package's root.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Whether the documents are there.
    static let isThere = FileManager.default.fileExists(atPath: samples[0].file)
}
