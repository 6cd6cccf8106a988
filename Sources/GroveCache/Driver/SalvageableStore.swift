import GroveCoding
package import GroveModel

/// A store of which the rest can be read if a part of its files is damaged.
///
/// It is for tools, and for records that must not be lost with a damaged store: ``KeptRecords``. Otherwise a cache
/// never reads around damage: it would take lost records for absent ones.
package protocol SalvageableStore: NodeStore {
    /// Damage of the files in `directory` that the engine would not report: it would end the process or read something
    /// else.
    ///
    /// - Parameter isSuspect: whether the last processes that opened the store ended soon after, and none has it open.
    ///   Only then is it worth reading all of the store.
    /// - Throws: ``CacheError`` if the files cannot be checked.
    static func hiddenDamage(in directory: String, isSuspect: Bool) throws(CacheError) -> CacheError?

    /// Visits the readable records of the store in `directory` whose keys begin with `prefix`: each key once, with its
    /// newest value.
    ///
    /// The store is not open in this process.
    ///
    /// - Parameter unreadable: told of each part that cannot be read: "between the keys … and …".
    /// - Throws: what `visit` throws, or ``CacheError`` if nothing can be read, as the store cannot be opened.
    static func salvage(
        _ directory: String, prefix: [UInt8], options: Options,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Void,
        unreadable: (_ part: String) -> Void
    ) throws(CacheError)
}

extension SalvageableStore {
    /// None: the engine finds damage by its checksums or its checks.
    package static func hiddenDamage(in directory: String, isSuspect: Bool) throws(CacheError) -> CacheError? { nil }

    /// Copies the readable records of the store in `directory` to a new store in `target`, an empty directory.
    ///
    /// - Returns: the parts that cannot be read.
    /// - Throws: ``CacheError``, as ``salvage(_:prefix:options:_:unreadable:)`` and making a store do.
    package static func salvage(
        _ directory: String, to target: String, options: Options
    ) throws(CacheError) -> [String] {
        var parts: [String] = []
        let copy = try StoreCopy(in: target)
        try unsafe copy.fill(
            { (visit) throws(CacheError) in
                try unsafe Self.salvage(
                    directory, prefix: [], options: options,
                    { (key, value) throws(CacheError) in
                        // A damaged state is left out: the copy is then like a store that forgot how many writes it has
                        // seen.
                        if unsafe Array(key) == StoreState.key, unsafe !StoreState.isWhole(value) { return }
                        try unsafe visit(key, value)
                    }, unreadable: { parts.append($0) })
            },
            { (directory) throws(CacheError) in try Self(directory: directory, options: options) },
            owns: { Self.owns(file: $0) }, { () throws(CacheError) in })
        return parts
    }

    /// A message's words for the records between two keys; either or both may be unknown.
    package static func part(after first: [UInt8]?, before last: [UInt8]?) -> String {
        switch (first.map(keyText), last.map(keyText)) {
        case (let first?, let last?): "between \(first) and \(last)"
        case (let first?, nil): "after \(first)"
        case (nil, let last?): "before \(last)"
        case (nil, nil): "all records"
        }
    }

    /// A message's words for `key`: the kind and the name of the record under it.
    package static func keyText(_ key: [UInt8]) -> String { Namespace.text(ofKey: key) }
}

extension CacheError {
    /// Whether the error says that a part of a file is damaged, or that the disk cannot read it.
    package var isOfDamage: Bool { code == .corrupted || code == .inputOutput }
}
