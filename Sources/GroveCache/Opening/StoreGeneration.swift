import Dispatch
package import GroveModel
import GrovePlatform
import Synchronization

/// Four words in a file beside the store's, mapped by every process that has the store open.
///
/// The first word changes before a process empties the store or sets it aside. The other processes compare it at each
/// transaction, which costs a load. The second word counts commits, the third the calls that emptied the cache. The
/// fourth counts starts, to tell if the last processes ended soon after they opened the store.
///
/// The file stays when the store's files are removed. A process holds its lock while it opens, empties or sets aside a
/// store, so that no process opens files that are about to be removed. The lock ends with the process.
@safe
// SAFETY: the address is set once and mapped until `deinit`; the words behind it are read and written atomically.
// `presence` is changed as the store is opened, before another thread has this, and by the writer.
final class StoreGeneration: @unchecked Sendable {
    /// The name of the file, which also marks a directory as Grove's; see ``StoreDirectory/claim(_:mainFile:)``.
    static let fileName = "grove.generation"

    /// The time for which the lock is waited for by default.
    static let patience = Duration.seconds(5)

    private let address: UnsafeMutableRawPointer

    private init(mapping descriptor: Int32) throws(CacheError) {
        let mapped = unsafe mmap(nil, StoreGeneration.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
            throw .system(errno, "map the file \(StoreGeneration.fileName)")
        }
        unsafe address = unsafe mapped
    }

    deinit {
        leave()
        unsafe munmap(address, StoreGeneration.byteCount)
    }

    /// The number of processes in a row that end soon after they opened the store, at which its files are looked at.
    private static let endsUnseen = 2
    /// The time for which a process must use a store to be taken for one that its damage does not end.
    private static let trial = DispatchTimeInterval.seconds(10)

    /// Whether ``noteStart()`` was called, and ``leave()`` not.
    private var isStarted = false

    /// Whether the last two processes or more that opened the store ended within ten seconds, without letting go of it.
    ///
    /// A damaged page makes them do so if the engine does not check it. ``enter(_:)`` was called, and the file's lock
    /// is held.
    var isSuspect: Bool {
        unsafe address.assumingMemoryBound(to: Atomic<UInt64>.self)[3].load(ordering: .acquiring) >= Self.endsUnseen
            && !hasOthers
    }

    /// Counts a start, until the store is let go of or ten seconds have passed; the file's lock is held.
    func noteStart() {
        unsafe address.assumingMemoryBound(to: Atomic<UInt64>.self)[3].wrappingAdd(1, ordering: .acquiringAndReleasing)
        isStarted = true
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.trial) { [weak self] in
            self?.forgetStarts()
        }
    }

    /// Says that the last start did not end the process, or that its files are whole.
    func forgetStarts() {
        unsafe address.assumingMemoryBound(to: Atomic<UInt64>.self)[3].store(0, ordering: .releasing)
    }

    /// The directory, locked together with other processes that have the store open; -1 if it is not.
    private var presence: Int32 = -1

    /// Says to other processes, until ``leave()``, that this one has the store in `directory` open; the file's lock is
    /// held.
    func enter(_ directory: String) {
        presence = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if presence >= 0 { _ = flock(presence, LOCK_SH | LOCK_NB) }
    }

    /// Whether another process has entered and not left; asked after ``enter(_:)``, while the file's lock is held.
    var hasOthers: Bool {
        guard presence >= 0 else { return false }
        let hasOthers = flock(presence, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
        _ = flock(presence, LOCK_SH | LOCK_NB)
        return hasOthers
    }

    /// Says that this process is about to let go of the store: an engine may remove files when it closes.
    func leave() {
        if isStarted { forgetStarts() }
        isStarted = false
        guard presence >= 0 else { return }
        _ = flock(presence, LOCK_UN)
        _ = close(presence)
        presence = -1
    }

    private static let byteCount = 4 * MemoryLayout<UInt64>.size

    /// The mark by which the store's files are known.
    ///
    /// The process that replaces them gives another one, in a file beside them. It orders nothing: two looks see one
    /// word if no process has replaced the files between them.
    struct Word: Hashable, Sendable {
        fileprivate let rawValue: UInt64

        /// The word of files that no other process may have open.
        static var none: Word { Word(rawValue: 0) }
    }

    /// The word now; it differs from an earlier one if the files were replaced since.
    @inline(__always)
    var word: Word {
        unsafe Word(rawValue: address.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .acquiring))
    }

    /// The number of commits that the processes have counted, this one's included.
    @inline(__always)
    var commitCount: CommitCount {
        unsafe CommitCount(
            rawValue: address.assumingMemoryBound(to: Atomic<UInt64>.self)[1].load(ordering: .acquiring))
    }

    /// Counts a commit, which the store shows by now.
    func countCommit() {
        unsafe address.assumingMemoryBound(to: Atomic<UInt64>.self)[1].wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    /// The number of calls of all processes that have emptied the cache.
    var wipeCount: WipeCount {
        unsafe WipeCount(rawValue: address.assumingMemoryBound(to: Atomic<UInt64>.self)[2].load(ordering: .acquiring))
    }

    /// Counts a call that has emptied the cache; the lock is held since before ``advance()``.
    func countWipe() {
        unsafe address.assumingMemoryBound(to: Atomic<UInt64>.self)[2].wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    /// Changes the word; the lock is held, and the files are about to be replaced.
    ///
    /// - Returns: the new word.
    func advance() -> Word {
        unsafe Word(
            rawValue: address.assumingMemoryBound(to: Atomic<UInt64>.self).pointee
                .wrappingAdd(1, ordering: .acquiringAndReleasing).newValue)
    }

    /// Runs `body` while no other process opens, empties or sets aside the store in `directory`.
    ///
    /// - Throws: what `body` throws, or ``CacheError`` with code `locked` if another process keeps the lock, `full`,
    ///   `permissionDenied` or `inputOutput`.
    static func exclusively<Value>(
        in directory: String, within patience: Duration = patience,
        _ body: (StoreGeneration) throws(CacheError) -> Value
    ) throws(CacheError) -> Value {
        let path = directory + "/" + fileName
        let descriptor = try lock(path, within: patience)
        defer {
            // A child that is being started may hold the descriptor for a moment longer.
            _ = flock(descriptor, LOCK_UN)
            _ = close(descriptor)
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system(errno, "read \(path)") }
        if status.st_size < byteCount {
            // A new file must not begin with the word at which an earlier one ended.
            var words = (UInt64.random(in: .min ... .max), UInt64(0), UInt64(0), UInt64(0))
            guard unsafe pwrite(descriptor, &words, byteCount, 0) == byteCount else {
                throw .system(errno, "write \(path)")
            }
        }
        return try body(StoreGeneration(mapping: descriptor))
    }

    /// Opens the file at `path`, or makes it, and locks it.
    private static func lock(_ path: String, within patience: Duration) throws(CacheError) -> Int32 {
        let deadline = ContinuousClock.now + patience
        while true {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw .system(errno, "open \(path)") }
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                let number = errno
                // A file system that cannot lock (some network ones) has engines that cannot share a store on it
                // either.
                guard number == EWOULDBLOCK || number == EINTR else { break }
                guard ContinuousClock.now < deadline else {
                    _ = close(descriptor)
                    throw CacheError(
                        .locked, "another process has been opening or emptying the store for longer than \(patience)")
                }
                usleep(1_000)
            }
            // If a process removed the file meanwhile, this lock is on a file that no other process will find.
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else {
                let number = errno
                _ = close(descriptor)
                throw .system(number, "read \(path)")
            }
            if FileIdentity(path) == FileIdentity(status) { return descriptor }
            _ = close(descriptor)
        }
    }
}

extension StoreFiles {
    /// Tells the processes that have the store in here open that another one took its place; for tools that replace a
    /// store.
    ///
    /// They would notice by themselves at the next sync, wipe, opening or error of the engine.
    package func announceReplacement() throws(CacheError) {
        try StoreGeneration.exclusively(in: path) { _ = $0.advance() }
    }
}

/// The identity of a file, whatever its name.
package struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// The file that is open as `descriptor`, or `nil` if none is.
    package init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file at `path`, or `nil` if there is none.
    package init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
