import Grove
import GroveCache
import TestSupport
import Testing

/// The screen shows the content of the cache, for every writer, every change, every watcher and every backend.
@MainActor
@Suite("The matrix of changes and screens", .serialized)
struct MatrixTests {
    /// One test of the matrix.
    struct Cell: CustomTestStringConvertible {
        let backend: FollowedBackend
        let writer: FollowedWriter
        let verb: FollowedVerb
        let watcher: FollowedWatcher

        var testDescription: String { "\(backend): \(writer), \(verb), \(watcher)" }

        static var all: [Cell] {
            var cells: [Cell] = []
            for backend in FollowedBackend.allCases {
                for writer in FollowedWriter.allCases where writer != .otherProcess || backend.hasPeer {
                    for verb in FollowedVerb.allCases where writer.can(verb) {
                        cells += FollowedWatcher.allCases.map {
                            Cell(backend: backend, writer: writer, verb: verb, watcher: $0)
                        }
                    }
                }
            }
            return cells
        }

        /// What is seen once everything has settled.
        ///
        /// What was evicted stays on screen.
        var expected: [String] {
            if isKept, watcher == .stream { return Array(repeating: "", count: 5) }
            return switch (watcher, verb) {
            case (.providerHeld, .write): ["again by Anna", "Cid"]
            case (.providerHeld, .delete): ["-", "-"]
            case (.providerHeld, .collectionEdit): ["hello by Ann", "Cid"]
            case (.providerHeld, .evict): ["hello by Ann", "-"]
            case (.providerHeld, .wipe): ["-", "-"]

            case (.collectionHeld, .write): ["Anna", "Bob"]
            case (.collectionHeld, .delete): ["Bob"]
            case (.collectionHeld, .collectionEdit): ["Cid", "Ann", "Bob"]
            case (.collectionHeld, .evict): ["Ann", "Bob"]
            case (.collectionHeld, .wipe): []

            case (.providerMadeLater, .write): ["again by Anna", "Cid"]
            case (.providerMadeLater, .collectionEdit): ["hello by Ann", "Cid"]
            case (.providerMadeLater, .delete), (.providerMadeLater, .evict), (.providerMadeLater, .wipe): ["-", "-"]

            case (.stream, .write):
                ["Anna", "Cid", "changed", "changed", "changed Person:1, changed Person:3"]
            case (.stream, .delete): ["gone", "", "deleted", "", "deleted Person:1"]
            case (.stream, .collectionEdit): ["", "Cid", "", "changed", "changed Person:3, edited people"]
            case (.stream, .evict): isKept ? ["", "", "", "", ""] : ["", "", "evicted", "", "evicted Person:1"]
            case (.stream, .wipe): ["gone", "", "unknown", "unknown", "everything"]
            }
        }

        /// Ann's name in the cache.
        var stored: String? {
            switch verb {
            case .write: "Anna"
            case .collectionEdit: "Ann"
            case .evict: isKept ? "Ann" : nil
            case .delete, .wipe: nil
            }
        }

        /// Whether a full budget spares Ann because a provider shows her.
        var isKept: Bool { verb == .evict && writer.evictsByBudget && watcher != .providerMadeLater }
    }

    @Test("Each change by each writer is seen by each who looks", arguments: Cell.all)
    func cell(_ cell: Cell) async throws {
        let isFull = cell.verb == .evict && cell.writer.evictsByBudget
        try await cell.backend.open(
            within: isFull ? CacheBudget(nodes: 40) : .unlimited,
            history: cell.writer == .otherProcess ? 100 : 0, withPeer: cell.writer == .otherProcess
        ) { scene, peer in
            try scene.begin()
            // Streams tell of nothing of that.
            try await scene.settle()
            let look = try await cell.watcher.begin(scene)
            try await scene.settle()
            try await scene.change(cell.verb, by: cell.writer, peer)
            try await scene.settle()
            #expect(try scene.person("1")?.name == cell.stored)
            let seen = try await look()
            #expect(seen == cell.expected)
        }
    }
}
