import Dispatch
import GroveCache
import GroveConformance
import GroveModel
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A copy ends in the middle.
// SAFETY: it adds nothing to its sendable base class.
final class CopiesPart: ForwardingCache, @unchecked Sendable {
    override func copy(to directory: String) async throws(CacheError) {
        try await base.copy(to: directory)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            let path = directory + "/" + name
            guard let bytes = FileManager.default.contents(atPath: path) else { continue }
            _ = FileManager.default.createFile(atPath: path, contents: bytes.prefix(bytes.count / 2))
        }
    }
}

/// Whether a copy is over.
private final class Over: Sendable {
    let value = Atomic(false)
}

/// A copy is marked as a store before it is one.
// SAFETY: it adds nothing to its sendable base class.
final class MarksCopiesFirst: ForwardingCache, @unchecked Sendable {
    override func copy(to directory: String) async throws(CacheError) {
        let isOver = Over()
        defer { isOver.value.store(true, ordering: .relaxed) }
        DispatchQueue.global().async {
            while !FileManager.default.fileExists(atPath: directory + "/grove.copy") {
                if isOver.value.load(ordering: .relaxed) { return }
            }
            _ = FileManager.default.createFile(atPath: directory + "/grove.generation", contents: nil)
        }
        try await base.copy(to: directory)
    }
}
