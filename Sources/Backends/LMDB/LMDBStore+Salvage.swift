import GroveCache
package import GroveModel

extension LMDBStore: SalvageableStore {
    /// Damage if a page is damaged: LMDB checks little, and a damaged page may end the process.
    package static func hiddenDamage(in directory: String, isSuspect: Bool) throws(CacheError) -> CacheError? {
        // Pages that a writer changes meanwhile look damaged too, so the check is repeated under the writers' lock.
        guard isSuspect, let pages = LMDBPages(directory), !pages.isWhole(),
            try pages.whileNoneWrites(within: LMDBOptions().lockTimeout, { (pages) in !pages.isWhole() })
        else { return nil }
        return CacheError(
            .corrupted, "The last processes that opened the store ended soon after, and its files are damaged.")
    }

    /// Visits the records on the readable pages, without LMDB.
    package static func salvage(
        _ directory: String, prefix: [UInt8], options: LMDBOptions,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Void,
        unreadable: (_ part: String) -> Void
    ) throws(CacheError) {
        guard let pages = LMDBPages(directory) else {
            throw CacheError(.corrupted, "the store's file is damaged at its beginning")
        }
        try pages.whileNoneWrites(within: options.lockTimeout) { (pages) throws(CacheError) in
            try unsafe pages.forEachRecord(
                prefix: prefix,
                { (key, value) throws(CacheError) in
                    switch key.count {
                    case LMDBKey.stampCount: break
                    case LMDBKey.longCount: try unsafe visitLong(value, visit) { unsafe unreadable(part(of: key)) }
                    default: try unsafe visit(key, value)
                    }
                }, damage: { unreadable(part(after: $0.after, before: $0.before)) })
        }
    }

    /// Visits the long keys in `stored`.
    private static func visitLong(
        _ stored: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Void,
        damaged: () -> Void
    ) throws(CacheError) {
        var entries: [LMDBKey.Entry] = []
        do throws(CacheError) {
            try unsafe LMDBKey.forEach(in: stored) { entry in
                entries.append(entry)
                return true
            }
        } catch {
            damaged()
        }
        for entry in entries { try unsafe visit(entry.key, entry.value) }
    }

    private static func part(of key: UnsafeRawBufferPointer) -> String {
        unsafe "some of the long keys that begin with \(keyText(Array(key.prefix(LMDBKey.shortLimit))))"
    }
}
