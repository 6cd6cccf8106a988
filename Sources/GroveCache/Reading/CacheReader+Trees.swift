public import GroveCoding
public import GroveModel

/// The steps by which one tree is read, from any kind of reader.
extension CacheReader where Self: ~Copyable {
    /// Rebuilds the tree whose read was begun, by `decode`, and ends the read.
    ///
    /// - Returns: the outcome, or `nil` if the stack is too small for the tree and the read has to begin again.
    @inlinable
    @inline(__always)
    public func _finishTree<M: Sendable>(
        _ read: inout _TreeRead, _ identifier: ModelIdentifier,
        _ decode: (inout NodeDecoder) throws(NodeReadFailure) -> M
    ) throws(CacheError) -> CacheRead<M>? {
        let failure: NodeReadFailure
        do throws(NodeReadFailure) {
            let model = try decode(&read.decoder)
            return _succeed(read, identifier) ? .hit(model) : nil
        } catch {
            failure = error
        }
        return try _fail(read, failure, identifier).map { .miss($0) }
    }

    /// Reads the tree again, all of it on a large stack.
    @usableFromInline
    func _readOnLargeStack<M: CacheableModel>(
        _ identifier: ModelIdentifier, _ type: M.Type, maxAge: Double?
    ) throws(CacheError) -> CacheRead<M> {
        try LargeStack.run(unavailable: LargeStack.noThread) { () throws(CacheError) in
            var begun = try _beginTree(identifier, maxAge: maxAge)
            begun.reader.stayOnLargeStack()
            guard let outcome = try _finishTree(&begun, identifier, M.decodeValue) else { throw LargeStack.noThread }
            return outcome
        }
    }

    /// Ends the read of a tree that was rebuilt.
    ///
    /// - Returns: false if the read is to begin again on a large stack.
    @usableFromInline
    func _succeed(_ read: borrowing _TreeRead, _ identifier: ModelIdentifier) -> Bool {
        let mustRestart = read.reader.mustRestart
        _endTree(read, identifier, mustRestart ? .again : .hit)
        return !mustRestart
    }

    /// Ends the read of a tree that was not rebuilt.
    ///
    /// - Returns: `nil` if the read is to begin again on a large stack.
    @usableFromInline
    func _fail(
        _ read: borrowing _TreeRead, _ failure: NodeReadFailure, _ identifier: ModelIdentifier
    ) throws(CacheError) -> CacheMiss? {
        guard !read.reader.mustRestart else {
            _endTree(read, identifier, .again)
            return nil
        }
        do throws(CacheError) {
            let miss = try read.reader.miss(failure, at: identifier)
            _endTree(read, identifier, .miss(miss))
            return miss
        } catch {
            _endTree(read, identifier, .failure(error))
            throw error
        }
    }

    /// Reads something other than one tree, under `name`.
    func _reading<Value>(
        _ name: ModelIdentifier, maxAge: Double?, _ body: (Reconstructor) throws(CacheError) -> CacheRead<Value>
    ) throws(CacheError) -> CacheRead<Value> {
        if let outcome = try reading(name, maxAge, onLargeStack: false, body) { return outcome }
        return try LargeStack.run(unavailable: LargeStack.noThread) { () throws(CacheError) in
            guard let outcome = try reading(name, maxAge, onLargeStack: true, body) else { throw LargeStack.noThread }
            return outcome
        }
    }

    /// - Returns: the outcome, or `nil` if the read is to begin again on a large stack.
    private func reading<Value>(
        _ name: ModelIdentifier, _ maxAge: Double?, onLargeStack: Bool,
        _ body: (Reconstructor) throws(CacheError) -> CacheRead<Value>
    ) throws(CacheError) -> CacheRead<Value>? {
        let begun = try _beginTree(name, maxAge: maxAge)
        if onLargeStack { begun.reader.stayOnLargeStack() }
        let outcome = Result { () throws(CacheError) in try body(begun.reader) }
        guard !begun.reader.mustRestart else {
            _endTree(begun, name, .again)
            return nil
        }
        switch outcome {
        case .success(.hit): _endTree(begun, name, .hit)
        case .success(.miss(let miss)): _endTree(begun, name, .miss(miss))
        case .failure(let error): _endTree(begun, name, .failure(error))
        }
        return try outcome.get()
    }
}

extension ModelIdentifier {
    /// - Throws: ``CacheError`` with code `emptyIdentifier` or `tooLarge`.
    func check() throws(CacheError) {
        guard !isEmpty else {
            throw CacheError(.emptyIdentifier, "The identifier or cache key is empty; give one of at least a byte.")
        }
        guard rawValue.utf8.count <= NodeEncoder.maxIdentifierBytes else {
            throw CacheError(
                .tooLarge,
                "The identifier or cache key has \(rawValue.utf8.count) bytes, and the most is "
                    + "\(NodeEncoder.maxIdentifierBytes); it begins with "
                    + "\(String(rawValue.prefix(64)).debugDescription).")
        }
    }
}

extension Reconstructor {
    /// The model that was last set under the cache key `key`.
    func model<M: CacheableModel>(
        forKey key: ModelIdentifier, _ type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        let header = try value(Namespace.alias, key)
        if header == nil, absence != .absent { return .miss(CacheMiss(absence, key)) }
        do throws(NodeReadFailure) {
            var decoder =
                if let header {
                    unsafe NodeDecoder(header.body, source: self, isStable: true)
                } else {
                    self.decoder(ofReferenceTo: key)
                }
            return .hit(try M.decodeValue(from: &decoder))
        } catch {
            return .miss(try miss(error, at: key))
        }
    }
}
