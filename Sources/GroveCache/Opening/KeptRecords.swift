import GroveCoding
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The kept records of a store that is damaged, or forgets everything, on their way into the store that takes its
/// place.
///
/// They are in a file of their own before the store is set aside or emptied, and until the new one has them on the
/// disk. So a process that is killed in between loses none. For each record the file has the key's and the value's
/// count of bytes, four bytes each, then the key and the value. It ends with the hash of all that, eight bytes. Numbers
/// are little-endian.
struct KeptRecords {
    static let fileName = "grove-kept"

    private(set) var records: [[UInt8]: [UInt8]] = [:]

    var isEmpty: Bool { records.isEmpty }

    /// The records that can be read of the damaged store in `directory`, and those saved of an earlier one that are in
    /// no store yet.
    ///
    /// - Parameter salvage: visits the records that can be read.
    /// - Throws: ``CacheError`` with code `locked` if another process is writing to the store.
    init(
        _ directory: String?,
        _ salvage: ((UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Void) throws(CacheError) ->
            Void
    ) throws(CacheError) {
        if let directory, let saved = KeptRecords(savedIn: directory) { self = saved }
        do throws(CacheError) {
            try unsafe salvage { (key, value) throws(CacheError) in
                guard unsafe key.first == Namespace.kept else { return }
                unsafe records[Array(key)] = Array(value)
            }
        } catch {
            // A record that cannot be read is lost, but a locked store only has to be waited for.
            guard error.code != .locked else { throw error }
        }
    }

    /// The kept records that can be read of `store`, in `directory`, which is about to forget everything.
    ///
    /// - Throws: ``CacheError`` with code `locked` if another process is writing to the store.
    init(in store: any NodeStore, _ directory: String?) throws(CacheError) {
        try unsafe self.init(directory) { (visit) throws(CacheError) in
            let view = try store.view()
            defer { view.end() }
            try unsafe [Namespace.kept].withUnsafeBytesTyped { (prefix) throws(CacheError) in
                try unsafe view.scan(prefix: prefix) { (key, value) throws(CacheError) in
                    try unsafe visit(key, value)
                    return true
                }
            }
        }
    }

    /// The records that were saved in `directory`; `nil` without a whole file: then the damaged store is still in its
    /// place.
    init?(savedIn directory: String) {
        guard StoreDirectory.length(of: KeptRecords.fileName, in: directory) != nil,
            let bytes = StoreDirectory.read(KeptRecords.fileName, in: directory), bytes.count >= 8
        else { return nil }
        let content = bytes.dropLast(8)
        guard bytes.suffix(8).elementsEqual(KeptRecords.hash(content)) else { return nil }
        var left = content[...]
        func take(_ count: Int) -> [UInt8]? {
            guard count <= left.count else { return nil }
            defer { left = left.dropFirst(count) }
            return Array(left.prefix(count))
        }
        func count() -> Int? { take(4).map { $0.reversed().reduce(0) { $0 << 8 | Int($1) } } }
        while !left.isEmpty {
            guard let keyCount = count(), let valueCount = count(), let key = take(keyCount),
                let value = take(valueCount)
            else { return nil }
            records[key] = value
        }
    }

    /// Saves the records in `directory`, so that they survive a loss of power.
    ///
    /// - Throws: ``CacheError`` with code `full` if there is no room: the damaged store must stay in its place then.
    func save(in directory: String) throws(CacheError) {
        guard !isEmpty else { return }
        var bytes: [UInt8] = []
        for (key, value) in records {
            for count in [key.count, value.count] {
                for byte in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: count >> (8 * byte))) }
            }
            bytes += key
            bytes += value
        }
        bytes += KeptRecords.hash(bytes[...])
        StoreDirectory.write(bytes, to: KeptRecords.fileName, in: directory)
        let files = try StoreFiles(directory)
        guard files.holds(KeptRecords.fileName) else {
            throw CacheError(.full, "There is no room to save what is pending in the damaged store in \(directory).")
        }
        try files.synchronize(KeptRecords.fileName)
        try files.synchronize()
    }

    /// Removes the file that was saved in `directory`.
    static func removeSaved(in directory: String) { StoreDirectory.remove(fileName, in: directory) }

    private static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let hash = unsafe bytes.withUnsafeBytes { unsafe hash64($0, seed: 1) }
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0))) }
    }
}

extension KeptRecords {
    /// Empties `store`, which has the kept records again afterwards.
    ///
    /// They are in a file of `directory` meanwhile, and stay there for the next opening if the store does not take
    /// them.
    ///
    /// - Returns: the state of the store then.
    func empty(_ store: any NodeStore, in directory: String?) throws(CacheError) -> StoreState {
        if let directory { try save(in: directory) }
        try store.wipe()
        var state = StoreState()
        guard !isEmpty else { return state }
        do throws(CacheError) { try put(into: store, &state) } catch { return state }
        if let directory { KeptRecords.removeSaved(in: directory) }
        return state
    }

    /// Puts the records into `store`, whose state is `stored`; a damaged one is put as it is.
    func put(into store: any NodeStore, _ stored: inout StoreState) throws(CacheError) {
        var state = stored
        try store.transact { (transaction) throws(CacheError) in
            for (key, value) in records {
                try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
                    try unsafe value.withUnsafeBytesTyped { (value) throws(CacheError) in
                        let old = try unsafe transaction.get(key)?.count
                        try unsafe transaction.put(key, value)
                        unsafe state.account?.note(key, old: old, new: value.count)
                        // A later call has a higher number than any record.
                        if let header = try? unsafe RecordHeader(value, key: key) {
                            state.sequence = max(state.sequence, header.sequence)
                        }
                    }
                }
            }
            try state.write(transaction)
        }
        stored = state
        try store.synchronize()
    }
}
