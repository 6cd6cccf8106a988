import CLevelDB
import GroveCache
package import GroveModel

extension LevelDBStore: SalvageableStore {
    /// Visits every entry under `prefix` whose newest version can be read.
    ///
    /// LevelDB's iterator skips a block that cannot be read, and has an error from then on. It may then come to an
    /// older version of a key. So the key after the damage is looked up, from the newest table on. A new iterator
    /// begins after that key. The damaged part has ended once an iterator has no error.
    package static func salvage(
        _ directory: String, prefix: [UInt8], options: LevelDBOptions,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Void,
        unreadable: (_ part: String) -> Void
    ) throws(CacheError) {
        let handle = try LevelDBHandle(directory: directory, options: options)
        var value = LevelDBValue()
        var start = prefix
        /// The last key that was read.
        var last: [UInt8]?
        /// Whether an unreadable part begins after ``last``.
        var isDamaged = false
        while true {
            let iterator = try unsafe LevelDBIterator(
                handle, options: handle.readOptions, from: UnsafeRawBufferPointer(start: nil, count: 0))
            if !start.isEmpty { iterator.seek(start) }
            while let (key, stored) = try unsafe iterator.readableEntry() {
                guard unsafe key.starts(with: prefix) else { break }
                if isDamaged { unsafe unreadable(part(after: last, before: Array(key))) }
                isDamaged = false
                try unsafe visit(key, stored)
                last = unsafe Array(key)
                iterator.advance()
            }
            guard iterator.isDamaged else { break }
            isDamaged = true
            guard let key = unsafe iterator.key, unsafe key.starts(with: prefix) else { break }
            start = unsafe Array(key) + [0]
            var stored: UnsafeRawBufferPointer?
            do throws(CacheError) {
                unsafe stored = try unsafe value.get(handle.database, handle.readOptions, key)
            } catch {
                guard error.isOfDamage else { throw error }
            }
            if let stored = unsafe stored { try unsafe visit(key, stored) }
        }
        if isDamaged { unreadable(part(after: last, before: nil)) }
    }
}

extension LevelDBIterator {
    /// Goes to the first key that is not before `start`.
    fileprivate func seek(_ start: [UInt8]) {
        unsafe start.withUnsafeBytes { unsafe seek($0) }
    }

    /// The present entry; `nil` at the end, and if something before it cannot be read.
    fileprivate func readableEntry() throws(CacheError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)?
    {
        do throws(CacheError) {
            return unsafe try entry()
        } catch {
            guard error.isOfDamage else { throw error }
            return nil
        }
    }

    /// Whether the iterator came to a block that cannot be read.
    fileprivate var isDamaged: Bool {
        do throws(CacheError) {
            _ = unsafe try entry()
            return false
        } catch {
            return true
        }
    }
}
