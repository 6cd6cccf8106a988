public import GroveCoding
public import GroveModel

extension NormalizedCache {
    /// Reads the tree of `identifier`: every node in its newest version, in one consistent view.
    ///
    /// Synchronous: it runs on the calling thread and waits for no writer.
    ///
    /// - Complexity: O(*n*) store reads for *n* references in the tree.
    /// - Returns: the tree, or why there is none and which node was missing.
    /// - Throws: ``CacheError`` with code `emptyIdentifier`, `corrupted`, `unsupportedFormat`, `cycle`, `tooDeep`,
    ///   `reentrant`, `closed` or `inputOutput`.
    @inlinable
    public func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self
    ) throws(CacheError) -> CacheRead<M> {
        var begun = try beginRead(of: identifier, maxAge: nil)
        if let outcome = try finishRead(&begun, identifier, M.decodeValue) { return outcome }
        return try readOnLargeStack(identifier, type, maxAge: nil)
    }

    /// The tree of `identifier`, or `nil` on a miss; see ``read(_:as:)-(_,M.Type)``.
    @inlinable
    public func model<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self
    ) throws(CacheError) -> M? {
        try read(identifier, as: type).value
    }

    /// Reads the collection under `key`: each element in its newest version, deleted ones left out, in one view.
    ///
    /// - Parameters:
    ///   - range: the positions of the elements that are read, as far as there are so many; all by default. Positions are as
    ///     stored, deleted elements included, so that a page may show fewer elements than it has positions.
    ///   - missing: what a missing element means.
    /// - Returns: the elements, in order, duplicates kept; or why there are none. Of a long list a part may be missing, and other
    ///   pages be there.
    /// - Complexity: O(*n*) store reads for *n* references in the trees of the page, and one for each 128 positions of it.
    /// - Throws: as ``read(_:as:)-(_,M.Type)``.
    public func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil, missing: MissingElements = .miss
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        try readCollection(key, type, range, missing, maxAge: nil)
    }

    /// The collection under `key`, or `nil` on a miss; see ``readCollection(_:as:in:missing:)-(_,M.Type,_,_)``.
    public func collection<M: CacheableModel>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil, missing: MissingElements = .miss
    ) throws(CacheError) -> [M]? {
        try readCollection(key, as: type, in: range, missing: missing).value?.elements
    }

    /// What all reads of collections come to.
    func readCollection<M: CacheableModel>(
        _ key: String, _ type: M.Type, _ range: Range<Int>?, _ missing: MissingElements, maxAge: Double?
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        try checkOpen()
        let name = ModelIdentifier(key)
        try NormalizedCache.check(name)
        return try reading(name, maxAge: maxAge) { (reader) throws(CacheError) in
            try reader.collection(type, name, in: range, missing)
        }
    }

    /// Reads what was last set under a cache key: an alias, or the model whose identifier the key is.
    func readKey<M: CacheableModel>(
        _ key: String, as type: M.Type, maxAge: Double? = nil
    ) throws(CacheError) -> CacheRead<M> {
        try checkOpen()
        let name = ModelIdentifier(key)
        try NormalizedCache.check(name)
        return try reading(name, maxAge: maxAge) { (reader) throws(CacheError) in
            if let found = try reader.alias(type, name) { return found }
            do throws(NodeReadFailure) {
                var decoder = reader.decoder(ofReferenceTo: name)
                return .hit(try M.decodeValue(from: &decoder))
            } catch {
                return .miss(try reader.miss(error, at: name))
            }
        }
    }

    /// Begins the read of one tree, of which nothing may be older than `maxAge` seconds where that is given.
    @usableFromInline
    func beginRead(of identifier: ModelIdentifier, maxAge: Double?) throws(CacheError) -> TreeRead {
        try checkOpen()
        try NormalizedCache.check(identifier)
        let reader = try core.beginRead(maxAge: maxAge)
        return TreeRead(reader: reader, decoder: reader.decoder(ofReferenceTo: identifier))
    }

    /// Rebuilds the tree whose read was begun, by `decode`, and ends the read.
    ///
    /// - Returns: the outcome, or `nil` where the stack is too small for the tree and the read is to begin anew.
    @inlinable
    @inline(__always)
    func finishRead<M: Sendable>(
        _ read: inout TreeRead, _ identifier: ModelIdentifier,
        _ decode: (inout NodeDecoder) throws(NodeReadFailure) -> M
    ) throws(CacheError) -> CacheRead<M>? {
        let failure: NodeReadFailure
        do throws(NodeReadFailure) {
            let model = try decode(&read.decoder)
            return endRead(read, identifier) ? .hit(model) : nil
        } catch {
            failure = error
        }
        return try failRead(read, failure, identifier).map { .miss($0) }
    }

    /// Reads as ``read(_:as:)`` does, all of it on a large stack; with a maximum age where there is one.
    @usableFromInline
    func readOnLargeStack<M: CacheableModel>(
        _ identifier: ModelIdentifier, _ type: M.Type, maxAge: Double?
    ) throws(CacheError) -> CacheRead<M> {
        try LargeStack.run(unavailable: LargeStack.noThread) { () throws(CacheError) in
            var begun = try beginRead(of: identifier, maxAge: maxAge)
            begun.reader.stayOnLargeStack()
            guard let outcome = try finishRead(&begun, identifier, M.decodeValue) else { throw LargeStack.noThread }
            return outcome
        }
    }

    /// Ends the read of a tree that was rebuilt.
    ///
    /// - Returns: false where the read is to begin again on a large stack.
    @usableFromInline
    func endRead(_ read: borrowing TreeRead, _ identifier: ModelIdentifier) -> Bool {
        guard !read.reader.mustRestart else {
            core.endRead(read.reader)
            return false
        }
        if core.endRead(read.reader, isHit: true) { core.tellHit(identifier) }
        return true
    }

    /// Ends the read of a tree that was not.
    ///
    /// - Returns: `nil` where the read is to begin again on a large stack.
    @usableFromInline
    func failRead(
        _ read: borrowing TreeRead, _ failure: NodeReadFailure, _ identifier: ModelIdentifier
    ) throws(CacheError) -> CacheMiss? {
        guard !read.reader.mustRestart else {
            core.endRead(read.reader)
            return nil
        }
        do throws(CacheError) {
            let miss = try read.reader.miss(failure, at: identifier)
            if core.endRead(read.reader, miss: miss.reason) { core.audience.tell { $0.cacheDidMiss(miss) } }
            return miss
        } catch {
            core.endRead(read.reader)
            core.noteFailure(ofRead: error)
            throw error
        }
    }

    static func check(_ identifier: ModelIdentifier) throws(CacheError) {
        guard !identifier.isEmpty else {
            throw CacheError(.emptyIdentifier, "The identifier or cache key is empty; give one of at least a byte.")
        }
        guard identifier.rawValue.utf8.count <= NodeEncoder.maxIdentifierBytes else {
            throw CacheError(
                .tooLarge,
                "The identifier or cache key has \(identifier.rawValue.utf8.count) bytes, and the most is "
                    + "\(NodeEncoder.maxIdentifierBytes); it begins with "
                    + "\(String(identifier.rawValue.prefix(64)).debugDescription).")
        }
    }

    func reading<Value>(
        _ name: ModelIdentifier, maxAge: Double? = nil,
        _ body: (Reconstructor) throws(CacheError) -> CacheRead<Value>
    ) throws(CacheError) -> CacheRead<Value> {
        if let outcome = try reading(name, maxAge, onLargeStack: false, body) { return outcome }
        return try LargeStack.run(unavailable: LargeStack.noThread) { () throws(CacheError) in
            guard let outcome = try reading(name, maxAge, onLargeStack: true, body) else { throw LargeStack.noThread }
            return outcome
        }
    }

    /// - Returns: the outcome, or `nil` where the read is to begin again on a large stack.
    private func reading<Value>(
        _ name: ModelIdentifier, _ maxAge: Double?, onLargeStack: Bool,
        _ body: (Reconstructor) throws(CacheError) -> CacheRead<Value>
    ) throws(CacheError) -> CacheRead<Value>? {
        let reader = try core.beginRead(maxAge: maxAge)
        if onLargeStack { reader.stayOnLargeStack() }
        do throws(CacheError) {
            let outcome = try body(reader)
            guard !reader.mustRestart else {
                core.endRead(reader)
                return nil
            }
            switch outcome {
            case .hit: if core.endRead(reader, isHit: true) { core.tellHit(name) }
            case .miss(let miss):
                if core.endRead(reader, miss: miss.reason) { core.audience.tell { $0.cacheDidMiss(miss) } }
            }
            return outcome
        } catch {
            let mustRestart = reader.mustRestart
            core.endRead(reader)
            if mustRestart { return nil }
            core.noteFailure(ofRead: error)
            throw error
        }
    }
}

/// One tree while it is read.
@usableFromInline
struct TreeRead: ~Copyable {
    let reader: Reconstructor
    @usableFromInline var decoder: NodeDecoder
}

/// A collection as it was read.
public struct CollectionRead<Element: Sendable>: Sendable {
    /// The elements, in order, duplicates kept, deleted ones left out.
    public let elements: [Element]
    /// Why elements were skipped, in order; empty unless the read asked for ``MissingElements/skip``.
    public let skipped: [CacheMiss]

    /// Makes a read's outcome.
    public init(elements: [Element], skipped: [CacheMiss] = []) {
        self.elements = elements
        self.skipped = skipped
    }
}

extension CollectionRead: Equatable where Element: Equatable {}

extension Reconstructor {
    /// The model that the alias `key` stands for, or `nil` where there is no such alias.
    func alias<M: CacheableModel>(_ type: M.Type, _ key: ModelIdentifier) throws(CacheError) -> CacheRead<M>? {
        let header = try value(Namespace.alias, key)
        guard let header else { return absence == .expired ? .miss(CacheMiss(.expired, key)) : nil }
        do throws(NodeReadFailure) {
            var decoder = unsafe NodeDecoder(header.body, source: self, isStable: true)
            return .hit(try M.decodeValue(from: &decoder))
        } catch {
            return .miss(try miss(error, at: key))
        }
    }
}
