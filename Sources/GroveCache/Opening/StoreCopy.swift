import GroveCoding
import GroveModel
import GrovePlatform

/// A second store, made by the same backend, with the content of one view or the readable records of a damaged store.
///
/// Its directory is marked as an unfinished copy before anything else is in it. The mark becomes that of a store by a
/// new name, in one step, when everything else is on the disk. So a copy that was cut short is never opened:
/// ``StoreDirectory/claim(_:mainFile:)``.
struct StoreCopy {
    /// The name of the mark while the copy is not finished.
    static let fileName = "grove.copy"

    /// The most bytes of keys and values in a transaction, but for one large value.
    private static let batchBytes = 4 << 20

    private let directory: String
    private let isMade: Bool
    private let files: StoreFiles

    /// Makes `directory`, or takes it if it is there and empty, and marks it.
    ///
    /// - Throws: ``CacheError`` with code `notAStore` if it holds something, `permissionDenied`, `full` or
    ///   `inputOutput`.
    init(in directory: String) throws(CacheError) {
        self.directory = directory
        isMade = try StoreDirectory.make(directory)
        files = try StoreFiles(directory)
        let names = try StoreDirectory.names(in: directory)
        if let name = names.first(where: { !$0.hasPrefix(".") && !StoreFiles.isOfSystem($0) }) {
            throw CacheError(.notAStore, "The directory \(directory) holds \(name); a copy needs an empty one.")
        }
        let mark = unsafe open(files.path(of: StoreCopy.fileName), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard mark >= 0 else { throw .system(errno, "begin a copy in \(directory)") }
        _ = close(mark)
    }

    /// A function that reads records, one after the other, and hands each to its argument.
    typealias Reading = (
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Void
    ) throws(CacheError) -> Void

    /// Writes the records that `read` hands over to a store that `open` opens.
    ///
    /// - Parameters:
    ///   - owns: whether a file of that name is the engine's; if the copy fails, such files go.
    ///   - check: called before each transaction; an error that it throws ends the copy.
    func fill(
        _ read: Reading, _ open: (String) throws(CacheError) -> any NodeStore, owns: (String) -> Bool,
        _ check: @escaping () throws(CacheError) -> Void
    ) throws(CacheError) {
        do throws(CacheError) {
            try unsafe write(read, open, check)
            try files.synchronize()
            try files.move(StoreCopy.fileName, to: StoreGeneration.fileName)
            try files.synchronize()
            try? StoreFiles(directory + "/..").synchronize()
        } catch {
            remove(owns)
            throw error
        }
    }

    private func write(
        _ read: Reading, _ open: (String) throws(CacheError) -> any NodeStore,
        _ check: @escaping () throws(CacheError) -> Void
    ) throws(CacheError) {
        let store = try open(directory)
        defer { store.close() }
        // The keys and values one after the other, and the position at which each ends.
        var bytes: [UInt8] = []
        var ends: [Int] = []
        func commit() throws(CacheError) {
            try check()
            guard !ends.isEmpty else { return }
            try unsafe bytes.withUnsafeBytesTyped { (bytes) throws(CacheError) in
                try store.transact { (transaction) throws(CacheError) in
                    var start = 0
                    for index in stride(from: 0, to: ends.count, by: 2) {
                        let (middle, end) = (ends[index], ends[index + 1])
                        try unsafe transaction.put(
                            UnsafeRawBufferPointer(rebasing: bytes[start..<middle]),
                            UnsafeRawBufferPointer(rebasing: bytes[middle..<end]))
                        start = end
                    }
                }
            }
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
        }
        try unsafe read { (key, value) throws(CacheError) in
            if bytes.count + key.count + value.count > StoreCopy.batchBytes { try commit() }
            unsafe bytes.append(contentsOf: key)
            ends.append(bytes.count)
            unsafe bytes.append(contentsOf: value)
            ends.append(bytes.count)
        }
        try commit()
        try store.synchronize()
    }

    /// Removes the files of the copy, and the directory if it was made.
    private func remove(_ owns: (String) -> Bool) {
        let names = (try? StoreDirectory.names(in: directory)) ?? []
        for name in names where owns(name) && name != StoreCopy.fileName { try? files.remove(name) }
        try? files.remove(StoreCopy.fileName)
        if isMade { unsafe rmdir(directory) }
    }
}
