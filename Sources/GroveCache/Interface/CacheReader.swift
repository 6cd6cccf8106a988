public import GroveCoding
public import GroveModel

/// What can be read from a cache, from one view of it, and inside a transaction: the same calls everywhere.
///
/// Every read is synchronous, runs on the calling thread and waits for no writer: microseconds where the engine has the
/// pages in memory. A task that must not block reads in a view of its own, `try await cache.read { view in … }`.
///
/// With a maximum age, `maxAge`, in seconds, a node that was last confirmed longer ago is missing, and the miss names it. A
/// record is confirmed by a write as of a place or with `confirmed: true`, also if it says the same already; any other write is an edit,
/// which leaves the record the age that it had. What was never confirmed is too old for every maximum age. A record may count as older
/// than it is: by a minute, or by a quarter of the least `maxAge` that was asked for where that is less, and by a second.
/// While the device's clock goes forward it never counts as younger. A collection and an alias have ages of their own;
/// deletions have none.
public protocol CacheReader: ~Copyable {
    /// Begins the read of one tree; ``_endTree(_:_:_:)`` must follow.
    func _beginTree(_ identifier: ModelIdentifier, maxAge: Double?) throws(CacheError) -> _TreeRead

    /// Ends the read of one tree, of `identifier`.
    func _endTree(_ read: borrowing _TreeRead, _ identifier: ModelIdentifier, _ outcome: _TreeOutcome)
}

/// What became of the read of one tree.
public enum _TreeOutcome: Sendable {
    case hit
    case miss(CacheMiss)
    case failure(CacheError)
    /// It is to be read again, on a large stack.
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
    /// - Parameter maxAge: in seconds; see ``CacheReader``. By default ages do not matter.
    /// - Returns: the tree, or why there is none and which node was missing.
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
    /// On a cache each is read by itself; ask a view where they must be of one moment.
    public func models<M: CacheableModel & KeyedModel>(
        _ type: M.Type, ids: some Sequence<M.ModelID>, maxAge: Double? = nil
    ) throws(CacheError) -> [M] {
        var models: [M] = []
        for id in ids {
            if let model = try model(type, id: id, maxAge: maxAge) { models.append(model) }
        }
        return models
    }

    /// Reads what was last set under a cache key, by ``CacheWriter/write(_:forKey:durability:)`` or `setModel`: the model that
    /// the key names, in its newest version, or the one whose identifier the key is.
    ///
    /// ```swift
    /// let me = try cache.read(forKey: "me", as: Person.self, maxAge: 3600).value
    /// ```
    ///
    /// - Returns: the tree, or why there is none and which node was missing.
    /// - Throws: as ``read(_:as:maxAge:)``.
    public func read<M: CacheableModel>(
        forKey key: String, as type: M.Type = M.self, maxAge: Double? = nil
    ) throws(CacheError) -> CacheRead<M> {
        let name = ModelIdentifier(key)
        return try _reading(name, maxAge: maxAge) { (reader) throws(CacheError) in
            try reader.model(forKey: name, type)
        }
    }

    /// What was last set under a cache key, or `nil` on a miss; see ``read(forKey:as:maxAge:)``.
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

    /// Reads the collection under `key`: each element in its newest version, deleted ones left out, in one view.
    ///
    /// ```swift
    /// let inbox = try cache.readCollection("inbox", of: Message.self, missing: .skip)
    /// if case .hit(let page) = inbox {
    ///     show(page.elements)
    ///     for miss in page.skipped { load(miss.identifier) }
    /// }
    /// ```
    ///
    /// If a part of a long list is not there, because it was evicted or lost, or was never fetched, a read that comes
    /// to it is a miss whose reason is ``CacheMiss/Reason/gap`` and which names the list. With `missing: .skip` the
    /// read passes over it, and says where in ``CollectionRead/gaps``. Pages that do not come to it are hits.
    ///
    /// A page may show fewer elements than it has positions, or none: that does not mean that the list ends there.
    /// ``CollectionRead/nextRange`` says whether there is more.
    ///
    /// - Parameters:
    ///   - range: the positions of the elements that are read, as far as there are so many; all by default. Positions are as
    ///     stored, deleted elements included.
    ///   - missing: what a missing element means.
    ///   - maxAge: in seconds. The list has an age of its own, that of the last time it was written, or written the same.
    /// - Returns: the elements, in order, duplicates kept; or why there are none.
    /// - Complexity: O(*n*) store reads for *n* references in the trees of the page, and one for each 128 positions of it.
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

    /// The collection under `key`, or `nil` on a miss; see ``readCollection(_:of:in:missing:maxAge:)``, which also reads a page.
    ///
    /// ```swift
    /// let inbox = try cache.collection("inbox", of: Message.self)
    /// ```
    public func collection<M: CacheableModel>(
        _ key: String, of type: M.Type = M.self, missing: MissingElements = .miss, maxAge: Double? = nil
    ) throws(CacheError) -> [M]? {
        try readCollection(key, of: type, missing: missing, maxAge: maxAge).value?.elements
    }

    /// Not there: a page without elements is not the end of a list, and an array does not say what is. A page says that:
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

    /// How many elements the collection under `key` has, deleted ones included, and those of parts that were evicted;
    /// `nil` if it is not there, and if it has a part that was never fetched, of which nobody knows how many elements
    /// it has.
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

    /// How many elements of the collection under `key` are known, as ``count(ofCollection:)`` counts them, parts that
    /// were never fetched left out; `nil` only if the collection is not there.
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

/// A collection as it was read.
public struct CollectionRead<Element: Sendable>: Sendable {
    /// The elements, in order, duplicates kept, deleted ones left out.
    public let elements: [Element]
    /// Why elements were skipped, in order; empty unless the read asked for ``MissingElements/skip``.
    public let skipped: [CacheMiss]
    /// The positions of parts of the list that were passed over because they are not there, in order; empty unless
    /// the read asked for ``MissingElements/skip``.
    ///
    /// An empty range is a part that was never fetched, before the element at that position: nobody knows how many
    /// elements it has.
    public let gaps: [Range<Int>]
    /// The range of the next page, as long as this one's; `nil` if this was the last one, or all was read.
    ///
    /// A page without elements is not the end: all that were at its positions may be deleted.
    public let nextRange: Range<Int>?
    /// The elements that are left out, and where they are.
    var hidden: [HiddenElement] = []
    /// Whether it is as the view shows it, and nothing that is queued was applied.
    var isCommitted = true

    /// Makes a read's outcome.
    public init(
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
    /// Whether both have the same elements, and the same is missing.
    public static func == (read: CollectionRead, other: CollectionRead) -> Bool {
        read.elements == other.elements && read.skipped == other.skipped && read.gaps == other.gaps
            && read.nextRange == other.nextRange
    }
}
