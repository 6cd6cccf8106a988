import GroveCache
import GroveCompare
import GroveModel
import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store that is only read: the one that the user named, or a copy of its files if that store cannot be opened here.
///
/// Opening a store writes to it. So the files are copied if this user may not write them, or the file system is mounted
/// read-only. They are also copied if another process has a store open that a single process may open. The copy is like
/// the files after a kill of that process, so that opening it recovers the store.
struct ReadablePlace: ~Copyable {
    let place: StorePlace
    /// The place of the store's files, damaged or not, or of a copy of them.
    let files: StorePlace
    /// The directories of copies, which are removed with this value.
    private let copies: [TemporaryDirectory]
    /// Whether the place holds the readable part of a damaged store, and the parts that cannot be read.
    let isPartial: Bool
    let unreadable: [String]

    /// - Throws: ``ToolError`` if there is no store, or its files never rest.
    init(_ place: StorePlace) throws(ToolError) {
        guard let directory = place.directory, place.holdsStore, !ReadablePlace.canOpen(directory, place.backend) else {
            self.init(place, [])
            return
        }
        let copy = try TemporaryDirectory()
        try ReadablePlace.copy(directory, to: copy.path, of: place.backend)
        self.init(try StorePlace(place.backend, copy.path, mapSize: place.mapSize), [copy])
    }

    private init(
        _ place: StorePlace, _ copies: [TemporaryDirectory], of files: StorePlace? = nil, unreadable: [String]? = nil
    ) {
        self.place = place
        self.files = files ?? place
        self.copies = copies
        isPartial = unreadable != nil
        self.unreadable = unreadable ?? []
    }

    /// Runs `body` with the store at `place`, or, if that turns out to be damaged, with a copy of its readable part.
    ///
    /// - Parameter body: opens the store and closes it, and writes nothing before it has read everything. It returns
    ///   the nodes that it could not read.
    /// - Throws: the error of `body`, or ``ToolError`` with the parts that cannot be read.
    static func read(_ place: StorePlace, _ body: (borrowing ReadablePlace) throws -> [ModelIdentifier]) throws {
        let readable = try ReadablePlace(place)
        if !readable.hidesDamage {
            do {
                _ = try body(readable)
                return
            } catch let error as ToolError {
                guard error.code == .corrupted || error.code == .inputOutput else { throw error }
                Terminal.progress("")
                try readPartly(readable, after: error, body)
                return
            }
        }
        try readPartly(readable, after: nil, body)
    }

    private static func readPartly(
        _ readable: borrowing ReadablePlace, after failure: ToolError?,
        _ body: (borrowing ReadablePlace) throws -> [ModelIdentifier]
    ) throws {
        let partial: ReadablePlace
        do {
            partial = try readable.salvaged()
        } catch {
            // The first failure says more about the store.
            throw failure ?? error
        }
        let nodes = try body(partial).map { "node \($0.rawValue)" }
        let parts = partial.unreadable + nodes
        let shown =
            parts.prefix(10).joined(separator: "; ") + (parts.count > 10 ? "; and \(parts.count - 10) more" : "")
        throw ToolError.partly("the store is damaged, and was read in part; what could not be read: \(shown)")
    }

    /// Copies the readable part of the store.
    private borrowing func salvaged() throws(ToolError) -> ReadablePlace {
        let target = try TemporaryDirectory()
        let parts = try ToolError.wrapping("cannot read the store") { () throws(CacheError) in
            try place.backend.salvage(place.directory ?? "", to: target.path, mapSize: place.mapSize)
        }
        let copy = try StorePlace(place.backend, target.path, mapSize: place.mapSize)
        return ReadablePlace(copy, copies + [target], of: files, unreadable: parts)
    }

    /// Whether reading the store may end the process.
    private var hidesDamage: Bool {
        guard let directory = place.directory, place.holdsStore else { return false }
        return (try? place.backend.hidesDamage(directory)) ?? false
    }

    /// Whether the store in `directory` can be opened in place.
    private static func canOpen(_ directory: String, _ backend: BackendName) -> Bool {
        let names = ["."] + ((try? self.names(in: directory, of: backend)) ?? [])
        guard names.allSatisfy({ unsafe access(directory + "/" + $0, R_OK | W_OK) == 0 }) else { return false }
        guard backend == .leveldb else { return true }
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    /// Copies the files of the store, and repeats that until none was added, removed or changed meanwhile.
    private static func copy(_ from: String, to: String, of backend: BackendName) throws(ToolError) {
        let files = FileManager.default
        for attempt in 0..<20 {
            if attempt > 0 { usleep(50_000) }
            do {
                let names = try names(in: from, of: backend)
                for name in names {
                    try files.copyItem(atPath: "\(from)/\(name)", toPath: "\(to)/\(name)")
                    _ = unsafe chmod("\(to)/\(name)", 0o600)
                }
                let isSame = names.allSatisfy { files.contentsEqual(atPath: "\(from)/\($0)", andPath: "\(to)/\($0)") }
                if isSame, try self.names(in: from, of: backend) == names { return }
            } catch {
                guard attempt < 19 else { throw .failed("the files in \(from) cannot be copied: \(error)") }
            }
            for name in (try? files.contentsOfDirectory(atPath: to)) ?? [] {
                try? files.removeItem(atPath: "\(to)/\(name)")
            }
        }
        throw .failed("the files in \(from) change all the time; try again when less is written")
    }

    /// The names of the store's files, without those that only hold locks.
    private static func names(in directory: String, of backend: BackendName) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter {
            backend.owns($0) && !["LOCK", "lock.mdb", "store.sqlite-shm", StoreDirectory.setAsideName].contains($0)
        }.sorted()
    }
}
