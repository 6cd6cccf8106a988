import GroveCache
import GroveCompare
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A store that is only read: the one that the user named, or a copy of its files if that one cannot be opened here.
///
/// Opening a store writes to it. So the files are copied if this user may not write them, or the file system is mounted
/// read-only; and if a process has a store open that lets one process in. What is copied is what a kill of that process
/// would leave, so that opening the copy recovers it.
struct ReadablePlace: ~Copyable {
    let place: StorePlace
    /// Removed with this.
    private let copy: TemporaryDirectory?

    /// - Throws: ``ToolError`` if there is no store, or its files never rest.
    init(_ place: StorePlace) throws(ToolError) {
        guard let directory = place.directory, place.holdsStore, !ReadablePlace.canOpen(directory, place.backend) else {
            self.place = place
            copy = nil
            return
        }
        let copy = try TemporaryDirectory()
        try ReadablePlace.copy(directory, to: copy.path, of: place.backend)
        self.place = try StorePlace(place.backend, copy.path, mapSize: place.mapSize)
        self.copy = copy
    }

    /// Whether the store in `directory` can be opened where it is.
    private static func canOpen(_ directory: String, _ backend: BackendName) -> Bool {
        let names = ["."] + ((try? self.names(in: directory, of: backend)) ?? [])
        guard names.allSatisfy({ unsafe access(directory + "/" + $0, R_OK | W_OK) == 0 }) else { return false }
        guard backend == .leveldb else { return true }
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    /// Copies the files of the store, again and again until none came, went or changed meanwhile.
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
