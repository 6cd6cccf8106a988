public import GroveCoding
public import GroveModel

/// The calls that read, the same on a cache, in a view of it and in a transaction.
///
/// Every read is synchronous, runs on the calling thread and does not wait for a writer. It takes microseconds if the
/// engine has the pages in memory. A task that must not block reads in a view of its own, with
/// `try await cache.read { view in … }`.
///
/// If a read has a maximum age, `maxAge` in seconds, a node that was last confirmed longer ago counts as missing, and
/// the miss names the node. A write as of a place, or one with `confirmed: true`, confirms a record, even if it does
/// not change the record. Any other write is an edit, and the record keeps its age. A record that was never confirmed
/// is too old for every maximum age.
///
/// Ages are rounded up: by one second, and by at most one minute, or a quarter of the smallest `maxAge` in use if that
/// is less. While the device's clock goes forward, a record never counts as younger than it is. A collection and an
/// alias have ages of their own; deletions have none.
public protocol CacheReader: ~Copyable {
    /// Begins the read of one tree; ``_endTree(_:_:_:)`` must follow.
    func _beginTree(_ identifier: ModelIdentifier, maxAge: Double?) throws(CacheError) -> _TreeRead

    /// Ends the read of one tree, of `identifier`.
    func _endTree(_ read: borrowing _TreeRead, _ identifier: ModelIdentifier, _ outcome: _TreeOutcome)
}

/// The outcome of the read of one tree.
public enum _TreeOutcome: Sendable {
    case hit
    case miss(CacheMiss)
    case failure(CacheError)
    /// The tree has to be read again, on a larger stack.
    case again
}

/// One tree while it is read.
public struct _TreeRead: ~Copyable {
    let reader: Reconstructor
    @usableFromInline var decoder: NodeDecoder
}

extension CacheReader where Self: ~Copyable {
    /// Reads the tree of `identifier`: every node in its newest version, in one consistent view.
    ///
    /// ```swift
    /// switch try cache.read("Message:34", as: Message.self) {
    /// case .hit(let message): show(message)
    /// case .miss(let miss): load(miss.identifier)
    /// }
    /// ```
    ///
    /// - Complexity: O(*n*) store reads for *n* references in the tree.
    /// - Parameter maxAge: the maximum age in seconds; see ``CacheReader``. By default ages do not matter.
    /// - Returns: the tree, or a miss that says which node is missing and why.
    /// - Throws: ``CacheError`` with code `emptyIdentifier`, `corrupted`, `unsupportedFormat`, `cycle`, `tooDeep`,
    ///   `reentrant`, `suspended`, `closed` or `inputOutput`.
    @inlinable
    public func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, maxAge: Double? = nil
    ) throws(CacheError) -> CacheRead<M> {
        var begun = try _beginTree(identifier, maxAge: maxAge)
        if let outcome = try _finishTree(&begun, identifier, M.decodeValue) { return outcome }
        return try _readOnLargeStack(identifier, type, maxAge: maxAge)
    }

    /// The tree of `identifier`, or `nil` on a miss; see ``read(_:as:maxAge:)``.
    ///
    /// ```swift
    /// let message = try cache.model("Message:34", as: Message.self)
    /// ```
    @inlinable
    public func model<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, maxAge: Double? = nil
    ) throws(CacheError) -> M? {
        try read(identifier, as: type, maxAge: maxAge).value
    }

    /// The model of type `M` whose identity is `id`, or `nil` on a miss; see ``read(_:as:maxAge:)``.
    ///
    /// ```swift
    /// let message = try cache.model(Message.self, id: 34)
    /// ```
    @inlinable
    public func model<M: CacheableModel & KeyedModel>(
        _ type: M.Type, id: M.ModelID, maxAge: Double? = nil
    ) throws(CacheError) -> M? {
        try read(M.modelIdentifier(for: id), as: type, maxAge: maxAge).value
    }

    /// The models of type `M` with these identities, in order; those that are missing are left out.
    ///
    /// ```swift
    /// let people = try cache.read { view in try view.models(Person.self, ids: [1, 7]) }
    /// ```
    ///
    /// On a cache each model is read by itself. If all must be of one moment, call this on a view.
    public func models<M: CacheableModel & KeyedModel>(
        _ type: M.Type, ids: some Sequence<M.ModelID>, maxAge: Double? = nil
    ) throws(CacheError) -> [M] {
        var models: [M] = []
        for id in ids {
            if let model = try model(type, id: id, maxAge: maxAge) { models.append(model) }
        }
        return models
    }

    /// Reads the model that was last set under a cache key, in its newest version.
    ///
    /// ``CacheWriter/write(_:forKey:durability:asOf:confirmed:)`` and `setModel` set a model under a key. If the key is
    /// a model's identifier, that model is read.
    ///
    /// ```swift
    /// let me = try cache.read(forKey: "me", as: Person.self, maxAge: 3600).value
    /// ```
    ///
    /// - Returns: the tree, or a miss that says which node is missing and why.
    /// - Throws: as ``read(_:as:maxAge:)``.
    public func read<M: CacheableModel>(
        forKey key: String, as type: M.Type = M.self, maxAge: Double? = nil
    ) throws(CacheError) -> CacheRead<M> {
        let name = ModelIdentifier(key)
        return try _reading(name, maxAge: maxAge) { (reader) throws(CacheError) in
            try reader.model(forKey: name, type)
        }
    }

    /// The model that was last set under a cache key, or `nil` on a miss; see ``read(forKey:as:maxAge:)``.
    ///
    /// ```swift
    /// let me = try cache.model(forKey: "me", as: Person.self)
    /// ```
    public func model<M: CacheableModel>(
        forKey key: String, as type: M.Type = M.self, maxAge: Double? = nil
    ) throws(CacheError) -> M? {
        try read(forKey: key, as: type, maxAge: maxAge).value
    }

    // MARK: Collections

    /// Reads the collection under `key` in one view: each element in its newest version, without deleted ones.
    ///
    /// ```swift
    /// let inbox = try cache.readCollection("inbox", of: Message.self, missing: .skip)
    /// if case .hit(let page) = inbox {
    ///     show(page.elements)
    ///     for miss in page.skipped { load(miss.identifier) }
    /// }
    /// ```
    ///
    /// A part of a long list may be missing, because it was evicted or lost, or was never fetched. A read that comes to
    /// it is a miss with the reason ``CacheMiss/Reason/gap``, and names the list. With `missing: .skip` the read passes
    /// over the part, and ``CollectionRead/gaps`` says where. Pages that do not come to it are hits.
    ///
    /// A page may have fewer elements than positions, or none, although the list goes on behind it.
    /// ``CollectionRead/nextRange`` says whether there is more.
    ///
    /// - Parameters:
    ///   - range: the positions to read, cut off at the end of the list; all by default. Positions count deleted
    ///     elements too.
    ///   - missing: whether a missing element makes the read a miss or is skipped.
    ///   - maxAge: the maximum age in seconds. The list has an age of its own, since it was last confirmed, even if it
    ///     did not change then.
    /// - Returns: the elements, in order, with duplicates; or a miss that says why there are none.
    /// - Complexity: O(*n*) store reads for *n* references in the trees of the page, and one for each 128 positions of
    ///   it.
    /// - Throws: as ``read(_:as:maxAge:)``.
    public func readCollection<M: CacheableModel>(
        _ key: String, of type: M.Type = M.self, in range: Range<Int>? = nil, missing: MissingElements = .miss,
        maxAge: Double? = nil
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        let name = ModelIdentifier(key)
        return try _reading(name, maxAge: maxAge) { (reader) throws(CacheError) in
            try reader.collection(type, name, in: range, missing)
        }
    }

    /// The collection under `key`, or `nil` on a miss; see ``readCollection(_:of:in:missing:maxAge:)``, which also
    /// reads a page.
    ///
    /// ```swift
    /// let inbox = try cache.collection("inbox", of: Message.self)
    /// ```
    public func collection<M: CacheableModel>(
        _ key: String, of type: M.Type = M.self, missing: MissingElements = .miss, maxAge: Double? = nil
    ) throws(CacheError) -> [M]? {
        try readCollection(key, of: type, missing: missing, maxAge: maxAge).value?.elements
    }

    /// Not available: an array of elements does not say if the list has ended, since a page may be empty. Read a page:
    ///
    /// ```swift
    /// let page = try cache.readCollection("inbox", of: Message.self, in: 0..<50).value
    /// let next = page?.nextRange
    /// ```
    @available(*, unavailable, message: "Use readCollection(_:of:in:): its nextRange says if there is more.")
    public func collection<M: CacheableModel>(
        _ key: String, of type: M.Type = M.self, in range: Range<Int>, missing: MissingElements = .miss,
        maxAge: Double? = nil
    ) throws(CacheError) -> [M]? {
        throw CacheError(.outOfRange, "A page is read by readCollection(_:of:in:).")
    }

    /// The number of elements of the collection under `key`, with deleted ones and those of evicted parts.
    ///
    /// It is `nil` if the collection is not there, or if a part of it was never fetched, so that its length is unknown.
    ///
    /// ```swift
    /// let count = try cache.count(ofCollection: "inbox") ?? 0
    /// ```
    ///
    /// - Complexity: O(1) store reads.
    /// - Throws: as ``read(_:as:maxAge:)``.
    public func count(ofCollection key: String) throws(CacheError) -> Int? {
        try count(of: ModelIdentifier(key), isKnown: false)
    }

    /// The number of elements of the collection under `key` without the parts that were never fetched.
    ///
    /// Elements are counted as by ``count(ofCollection:)``. It is `nil` only if the collection is not there.
    ///
    /// ```swift
    /// let isThere = try cache.knownCount(ofCollection: "inbox") != nil
    /// ```
    ///
    /// - Complexity: O(1) store reads.
    /// - Throws: as ``read(_:as:maxAge:)``.
    public func knownCount(ofCollection key: String) throws(CacheError) -> Int? {
        try count(of: ModelIdentifier(key), isKnown: true)
    }

    private func count(of name: ModelIdentifier, isKnown: Bool) throws(CacheError) -> Int? {
        try _reading(name, maxAge: nil) { (reader) throws(CacheError) in
            try reader.count(ofCollection: name, isKnown: isKnown)
        }.value
    }
}

/// The elements that a read of a collection found, and the parts that it skipped.
public struct CollectionRead<Element: Sendable>: Sendable {
    /// The elements, in order, with duplicates and without deleted ones.
    public let elements: [Element]
    /// The miss of each skipped element, in order; empty unless the read asked for ``MissingElements/skip``.
    public let skipped: [CacheMiss]
    /// The positions of the missing parts of the list, in order; empty unless the read asked for
    /// ``MissingElements/skip``.
    ///
    /// An empty range is a part that was never fetched, just before the element at that position; its length is
    /// unknown.
    public let gaps: [Range<Int>]
    /// The range of the next page, as long as this page's; `nil` if this was the last page or the whole list was read.
    ///
    /// A page without elements is not the end of the list: all elements at its positions may be deleted.
    public let nextRange: Range<Int>?
    /// The elements that are left out, with their positions.
    var hidden: [HiddenElement] = []
    /// Whether the list is as the view shows it, without any queued write.
    var isCommitted = true

    /// Makes the outcome of a read.
    package init(
        elements: [Element], skipped: [CacheMiss] = [], gaps: [Range<Int>] = [], nextRange: Range<Int>? = nil
    ) {
        self.elements = elements
        self.skipped = skipped
        self.gaps = gaps
        self.nextRange = nextRange
    }

    /// The page after that of `range` in a list of `count` elements.
    static func nextRange(after range: Range<Int>?, of count: Int) -> Range<Int>? {
        guard let page = range?.clamped(to: 0..<count), !page.isEmpty, page.upperBound < count else { return nil }
        return page.upperBound..<page.upperBound + page.count
    }
}

extension CollectionRead: Equatable where Element: Equatable {
    /// Whether both have the same elements, the same misses and gaps, and the same next page.
    public static func == (read: CollectionRead, other: CollectionRead) -> Bool {
        read.elements == other.elements && read.skipped == other.skipped && read.gaps == other.gaps
            && read.nextRange == other.nextRange
    }
}
