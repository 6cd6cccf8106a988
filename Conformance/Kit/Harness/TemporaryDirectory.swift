import GroveCache
package import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Directories for stores, among the system's temporary files.
package enum TemporaryDirectory {
    /// A new, empty directory; its name has a space and a letter outside ASCII, as names may have.
    package static func make(_ name: String = "grove conformance é ") throws(CacheError) -> String {
        let path = FileManager.default.temporaryDirectory.path + "/\(name)\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw CacheError(.inputOutput, "A temporary directory cannot be made at \(path).")
        }
        return path
    }

    /// Makes an empty directory at `path`.
    static func make(at path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    /// A new, empty directory in memory if the system supports that, and otherwise one from ``make(_:)``.
    static func makeFast() throws(CacheError) -> String {
        let path = "/dev/shm/grove conformance \(UUID().uuidString)"
        let isMade: Void? = try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return isMade == nil ? try make() : path
    }

    /// The files in `directory` that this process has open; `nil` if the system does not say.
    static func descriptors(into directory: String) -> [String]? {
        let list = "/proc/self/fd"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: list) else { return nil }
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: list + "/" + $0) }
            .filter { $0 == directory || $0.hasPrefix(directory + "/") }.sorted()
    }

    package static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// The environment variable with the folder for saved files, in a process whose temporary files are removed at its
    /// end.
    private static let outside = "GROVE_CONFORMANCE_OUTSIDE"

    /// The environment of processes whose temporary files are all in `path`, except the files that they save.
    static func environment(within path: String) -> [String: String] {
        let old = ProcessInfo.processInfo.environment[outside] ?? FileManager.default.temporaryDirectory.path
        return ["TMPDIR": path, outside: old]
    }

    /// Saves `text` in a file that stays after this process.
    ///
    /// - Returns: the path of the file; `nil` if it cannot be written.
    static func save(_ text: String, as name: String) -> String? {
        let folder =
            ProcessInfo.processInfo.environment[outside] ?? FileManager.default.temporaryDirectory.path
        let path = folder + "/\(name)-\(UUID().uuidString.prefix(8)).txt"
        return FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) ? path : nil
    }

    /// Copies the files of `from` into `to`, which is empty, except locks: the copy is as a kill would leave them.
    ///
    /// An engine may work on the files in the background. If a file was made, removed or changed meanwhile, they are
    /// copied again, so that the copy is of one moment.
    ///
    /// - Parameter afterEach: called after each file; tests use it.
    /// - Throws: the errors of reading and writing files; ``CheckFailure`` if the files never rest.
    package static func copy(_ from: String, _ to: String, afterEach: (String) throws -> Void = { _ in }) throws {
        let manager = FileManager.default
        func files() throws -> [String] { try names(in: from).filter { !$0.lowercased().hasPrefix("lock") } }
        for _ in 0..<200 {
            let names = try files()
            var isWhole = true
            for name in names where isWhole {
                isWhole = (try? manager.copyItem(atPath: "\(from)/\(name)", toPath: "\(to)/\(name)")) != nil
                try afterEach(name)
            }
            isWhole =
                isWhole && names.allSatisfy { manager.contentsEqual(atPath: "\(from)/\($0)", andPath: "\(to)/\($0)") }
            if isWhole, try files() == names { return }
            for name in try self.names(in: to) { try manager.removeItem(atPath: "\(to)/\(name)") }
        }
        throw CheckFailure("The files in \(from) were to rest while they were copied, and they never did.")
    }

    /// The names of the files in `directory`.
    package static func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    /// Copies one file, and replaces the file at the new path.
    static func copy(_ from: String, onto to: String) throws {
        try? FileManager.default.removeItem(atPath: to)
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }

    /// The bytes of the files in `directory`, as `du` counts them.
    static func bytesOnDisk(_ directory: String) throws -> Int { try StoreFiles(directory).allocatedBytes() }

    /// Makes `link` a symbolic link to `path`.
    static func link(_ link: String, to path: String) throws {
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    }

    /// Writes a file of `bytes`.
    package static func writeFile(_ path: String, _ bytes: [UInt8]) throws {
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
            throw CheckFailure("A file cannot be written at \(path).")
        }
    }

    /// The paths of all files below `path` whose bytes hold `marker`.
    static func files(in path: String, holding marker: [UInt8]) throws -> [String] {
        var found: [String] = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            guard let bytes = FileManager.default.contents(atPath: path + "/" + name) else { continue }
            if [UInt8](bytes).holds(marker) { found.append(name) }
        }
        return found
    }
}

extension [UInt8] {
    /// Whether these bytes contain `marker`.
    func holds(_ marker: [UInt8]) -> Bool {
        guard let first = marker.first, count >= marker.count else { return marker.isEmpty }
        return (0...(count - marker.count)).contains { start in
            self[start] == first && self[start..<(start + marker.count)].elementsEqual(marker)
        }
    }
}
