// The protocols document their requirements.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import GroveCache
public import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A view of a ``FileStore``: the table at its opening, whose files stay as long as the view holds it.
@safe public class FileView: NodeView {
    /// False, since the next look-up frees the bytes of the last.
    public class var keepsBytes: Bool { false }

    fileprivate(set) var table: FileStore.Table
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 8)

    init(_ table: FileStore.Table) { self.table = table }

    deinit { unsafe buffer.deallocate() }

    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        guard let value = try value(of: unsafe Array(key)) else { return nil }
        unsafe buffer.deallocate()
        unsafe buffer = .allocate(byteCount: value.count, alignment: 8)
        unsafe buffer.copyBytes(from: value)
        return unsafe UnsafeRawBufferPointer(buffer)
    }

    private func value(of key: [UInt8]) throws(CacheError) -> ArraySlice<UInt8>? {
        guard let (stored, value) = try table[key]?.read() else { return nil }
        // A file that was changed from outside may hold another key.
        guard stored == key else { throw CacheError(.corrupted, "A file holds another key than it was written for.") }
        return value
    }

    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        let prefix = unsafe Array(prefix)
        let keys = table.keys.filter { $0.starts(with: prefix) }.sorted { $0.lexicographicallyPrecedes($1) }
        for key in keys {
            guard let value = try value(of: key) else { continue }
            let outcome: Result<Bool, CacheError> = unsafe key.withUnsafeBytes { key in
                unsafe value.withUnsafeBytes { value in
                    do throws(CacheError) {
                        return .success(try unsafe visit(key, value))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            guard try outcome.get() else { return }
        }
    }

    public func end() { table = [:] }
}

/// A transaction of a ``FileStore``: files that no reader sees before it commits.
public final class FileTransaction: FileView, NodeTransaction {
    private let directory: String
    private(set) var written: [Entry] = []
    private(set) var changed: Set<[UInt8]> = []
    /// Files that this transaction wrote and then replaced.
    private(set) var replaced: [Entry] = []

    init(_ table: FileStore.Table, _ directory: String) {
        self.directory = directory
        super.init(table)
    }

    public func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        let key = unsafe Array(key)
        let count = (0..<4).map { UInt8(truncatingIfNeeded: key.count >> ($0 * 8)) }
        let entry = Entry("\(directory)/\(UUID().uuidString).node")
        written.append(entry)
        let bytes = unsafe Array(value)
        try entry.write(count + key + bytes)
        replace(key, with: entry)
    }

    public func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) { replace(unsafe Array(key), with: nil) }

    private func replace(_ key: [UInt8], with entry: Entry?) {
        if !changed.insert(key).inserted, let old = table[key] { replaced.append(old) }
        table[key] = entry
    }
}
