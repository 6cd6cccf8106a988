package import Foundation

/// A directory of a test's own, removed with it; its name holds what names may hold.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.path + "/grove é 雪 📦 with spaces \(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func url(_ name: String) -> URL { URL(fileURLWithPath: path).appendingPathComponent(name) }

    /// The names of the files whose names `matches` likes, in order.
    package func files(where matches: (String) -> Bool = { _ in true }) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter(matches).sorted()
    }

    /// The names of the files in the directory `path`, and which they are.
    package func files(below path: String) throws -> [String] {
        let files = FileManager.default
        return try files.contentsOfDirectory(atPath: path).sorted().map { name in
            let number = try files.attributesOfItem(atPath: path + "/" + name)[.systemFileNumber] as? Int
            return "\(name) \(number ?? 0)"
        }
    }

    /// The names of the files that hold `marker`.
    ///
    /// LevelDB's `LOCK` is left alone: closing it would let go of the lock. Its compactions may remove a file
    /// meanwhile.
    package func files(holding marker: String) throws -> [String] {
        try files { $0 != "LOCK" }.filter {
            guard let content = try? Data(contentsOf: url($0)) else { return false }
            return content.range(of: Data(marker.utf8)) != nil
        }
    }

    /// The files in here that this process has open, once for each descriptor; none if the system cannot tell.
    package func descriptors() throws -> [String] {
        #if os(Linux)
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }.filter { $0.contains(path) }.sorted()
        #else
            []
        #endif
    }
}
