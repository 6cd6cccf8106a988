// The protocols document their requirements.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import GroveCache
public import GroveModel
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A store that keeps each entry in a file of its own: a short example of a backend.
///
/// The table of keys and files is in memory; a value is read from its file at each look-up. A commit writes new files
/// and then replaces the table. A view holds the table of its opening, and so reads the files of that time. A file is
/// removed when no table holds it any more.
///
/// Several files cannot change at once. So the directory is marked dirty from the first write until all files are
/// synced. A store that finds the mark opens empty, as a cache may.
public final class FileStore: NodeStore {
    /// The options of the store, of which there are none.
    public struct Options: Sendable, Equatable {
        /// Makes options.
        public init() {}
    }

    public static var profile: BackendProfile {
        BackendProfile(
            name: "files", isPersistent: true, survivesCrash: false, isMultiProcess: false, readersNeverStall: true,
            mainFile: "lock", maxValueBytes: 1 << 30)
    }

    typealias Table = [[UInt8]: Entry]

    private struct State {
        var table: Table = [:]
        var isDirty = false
        /// The paths of files that may not be on the disk; paths do not keep a dead file from being removed.
        var unsynced: [String] = []
    }

    private let directory: String
    private let lock: Int32
    private let state: Mutex<State>

    public init(directory: String?, options: Options) throws(CacheError) {
        guard let directory else { throw CacheError(.unsupported, "A store of files needs a directory.") }
        self.directory = directory
        lock = unsafe open(directory + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw CacheError(.inputOutput, "The lock cannot be opened.", engineCode: Int(errno)) }
        do throws(CacheError) {
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
                throw CacheError(.locked, "Another process holds the store.")
            }
            state = Mutex(State(table: try FileStore.load(directory)))
        } catch {
            _ = systemClose(lock)
            throw error
        }
    }

    /// The table of the files in `directory`, which is emptied if it is marked dirty.
    private static func load(_ directory: String) throws(CacheError) -> Table {
        let names = try names(directory)
        let isDirty = names.contains("dirty")
        var table: Table = [:]
        for name in names where name.hasSuffix(".node") {
            let entry = Entry(directory + "/" + name)
            // A file that was cut short may have no whole key.
            if !isDirty, let key = try entry.read()?.key { table[key] = entry } else { entry.die() }
        }
        if isDirty { try FileStore.remove(directory + "/dirty") }
        return table
    }

    public func view() throws(CacheError) -> FileView { FileView(state.withLock { $0.table }) }

    public func write(_ body: (FileTransaction) throws(CacheError) -> Void) throws(CacheError) {
        if !state.withLock({ $0.isDirty }) {
            try Entry(directory + "/dirty").write([])
            try FileStore.synchronize(directory)
            state.withLock { $0.isDirty = true }
        }
        let transaction = FileTransaction(state.withLock { $0.table }, directory)
        do throws(CacheError) {
            try body(transaction)
        } catch {
            for entry in transaction.written { entry.die() }
            throw error
        }
        let old = state.withLock { state in
            defer {
                state.table = transaction.table
                state.unsynced += transaction.written.map(\.path)
            }
            return state.table
        }
        for entry in transaction.changed.compactMap({ old[$0] }) + transaction.replaced { entry.die() }
    }

    public func synchronize() throws(CacheError) {
        let paths = state.withLock { $0.unsynced }
        if paths.count > 200 { sync() } else { for path in paths { try FileStore.synchronize(path) } }
        try FileStore.synchronize(directory)
        // If there was a commit meanwhile, the mark stays.
        let isClean = state.withLock { state in
            state.unsynced.removeFirst(min(paths.count, state.unsynced.count))
            guard state.unsynced.isEmpty, state.isDirty else { return false }
            state.isDirty = false
            return true
        }
        // If the directory was moved, its path may lead to another store, whose mark must stay.
        guard isClean, isAtHome else { return }
        try FileStore.remove(directory + "/dirty")
        try FileStore.synchronize(directory)
    }

    public func size() throws(CacheError) -> StoreSize {
        var size = StoreSize(bytesOnDisk: 0, payloadBytes: 0, entries: state.withLock { $0.table.count })
        for name in try FileStore.names(directory) {
            var status = stat()
            guard unsafe stat(directory + "/" + name, &status) == 0 else { continue }
            size.bytesOnDisk += Int(status.st_blocks) * 512
            size.payloadBytes += name.hasSuffix(".node") ? Int(status.st_size) - 4 : 0
        }
        return size
    }

    public func wipe() throws(CacheError) {
        state.withLock { ($0.table, $0.unsynced) = ([:], []) }
        for name in try FileStore.names(directory) where name.hasSuffix(".node") {
            try FileStore.remove(directory + "/" + name)
        }
    }

    public func close() {
        // A store that cannot be synchronized keeps its mark, and opens empty the next time.
        try? synchronize()
        _ = flock(lock, LOCK_UN)
        _ = systemClose(lock)
    }

    private var isAtHome: Bool {
        var (held, found) = (stat(), stat())
        return unsafe fstat(lock, &held) == 0 && stat(directory + "/lock", &found) == 0
            && held.st_ino == found.st_ino && held.st_dev == found.st_dev
    }

    private static func names(_ directory: String) throws(CacheError) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw CacheError(.inputOutput, "The directory \(directory) cannot be listed.")
        }
        return names
    }

    private static func remove(_ path: String) throws(CacheError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw CacheError(.inputOutput, "\(path) cannot be removed.", engineCode: Int(errno))
        }
    }

    private static func synchronize(_ path: String) throws(CacheError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return }
        defer { if descriptor >= 0 { _ = systemClose(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw CacheError(.inputOutput, "\(path) cannot be synced.", engineCode: Int(errno))
        }
    }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// A file: four bytes with the length of the key, the key, and the value.
///
/// It is written once. When it is dead, it is removed with the last reference to it.
final class Entry: Sendable {
    let path: String
    private let isDead = Atomic(false)

    init(_ path: String) { self.path = path }

    deinit { if !isAlive { _ = unsafe unlink(path) } }

    var isAlive: Bool { !isDead.load(ordering: .acquiring) }

    func die() { isDead.store(true, ordering: .releasing) }

    /// The key and the value; `nil` if the file is too short for its key.
    func read() throws(CacheError) -> (key: [UInt8], value: ArraySlice<UInt8>)? {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CacheError(.inputOutput, "\(path) cannot be read.")
        }
        let bytes = [UInt8](data)
        guard bytes.count >= 4 else { return nil }
        let count = bytes[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count > 0, bytes.count - 4 >= count else { return nil }
        return (Array(bytes[4..<(4 + count)]), bytes[(4 + count)...])
    }

    func write(_ bytes: [UInt8]) throws(CacheError) {
        // Made with access for its owner only; writing keeps that.
        let made = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard made >= 0 else {
            throw CacheError(
                errno == ENOSPC ? .full : .inputOutput, "\(path) cannot be made.", engineCode: Int(errno))
        }
        _ = systemClose(made)
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        } catch {
            let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
            throw CacheError(isFull ? .full : .inputOutput, "\(path) cannot be written: \(error).")
        }
    }
}
