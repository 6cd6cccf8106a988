import Dispatch
import GroveCache
import GroveConformance
import GroveModel

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

/// A copy is marked as a store before it is one.
// SAFETY: it adds nothing to its sendable base class.
final class MarksCopiesFirst: ForwardingCache, @unchecked Sendable {
    override func copy(to directory: String) async throws(CacheError) {
        DispatchQueue.global().async {
            while !FileManager.default.fileExists(atPath: directory + "/grove.copy") {}
            _ = FileManager.default.createFile(atPath: directory + "/grove.generation", contents: nil)
        }
        try await base.copy(to: directory)
    }
}
