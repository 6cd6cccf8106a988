public import GroveCoding
public import GroveModel

/// All models of a type, in the order of their identifiers' bytes.
///
/// Where the type says what its identifiers begin with (``KeyedModel/identifierPrefix``, as `@Cacheable` does), this costs the
/// rows of the type, on an engine that keeps keys in order: LMDB, LevelDB and memory. SQLite keeps them by their hashes: there, and
/// for other types, it is one pass over the envelopes of all nodes.
extension CacheReader where Self: ~Copyable {
    /// The identifiers of the nodes that type `M` wrote, in the order of their bytes; deleted ones are not among them.
    ///
    /// ```swift
    /// let oldest = try cache.identifiers(of: Draft.self).first
    /// ```
    ///
    /// A node is listed by its record name: whether the tree below it is whole shows when it is read. A record that is damaged
    /// is not listed; reading it by its identifier throws.
    public func identifiers<M: CacheableModel>(of type: M.Type) throws(CacheError) -> [ModelIdentifier] {
        // No tree is read, and none is counted.
        let begun = try _beginTree("all of a type", maxAge: nil)
        defer { _endTree(begun, "all of a type", .again) }
        return try begun.reader.identifiers(of: type)
    }

    /// How many nodes type `M` wrote that are not deleted; see ``identifiers(of:)`` for what it costs.
    ///
    /// ```swift
    /// let badge = try cache.count(of: Draft.self)
    /// ```
    public func count<M: CacheableModel>(of type: M.Type) throws(CacheError) -> Int {
        try identifiers(of: type).count
    }
}

/// What has one view for as long as it lives: a ``CacheView``, and a ``CacheTransaction``.
public protocol CacheSnapshot: CacheReader, ~Copyable {
    /// Reads in the snapshot, for what outlives the call.
    var _source: _SnapshotSource { get }
}

/// What reads from a snapshot for as long as that lives.
public struct _SnapshotSource {
    let core: CacheCore
    let reader: Reconstructor
    let life: SnapshotLife
}

/// Whether a snapshot has ended: a sequence may outlive it, and its reader then serves others.
final class SnapshotLife {
    var isOver = false
}

extension CacheSnapshot where Self: ~Copyable {
    /// The models of type `M`, read one after the other as they are asked for, in the order of their identifiers' bytes.
    ///
    /// ```swift
    /// let unread = try cache.read { view in
    ///     try view.models(Message.self).filter { !$0.isRead }
    /// }
    /// ```
    ///
    /// Only the identifiers are in memory at once. A model whose tree is not whole is left out. Where the store fails midway,
    /// the sequence ends, and the `read` or `write` to which it belongs throws the error. It is empty once that has returned.
    public func models<M: CacheableModel>(_ type: M.Type) throws(CacheError) -> ModelSequence<M> {
        ModelSequence(_source, try identifiers(of: type))
    }
}

/// The models of one type in a snapshot; see ``CacheSnapshot/models(_:)``.
public struct ModelSequence<M: CacheableModel>: Sequence, IteratorProtocol {
    private let source: _SnapshotSource
    private var identifiers: ArraySlice<ModelIdentifier>

    init(_ source: _SnapshotSource, _ identifiers: [ModelIdentifier]) {
        self.source = source
        self.identifiers = identifiers[...]
    }

    /// The next model, or `nil` at the end.
    ///
    /// ```swift
    /// try cache.read { view in
    ///     var drafts = try view.models(Draft.self)
    ///     while let draft = drafts.next() { show(draft) }
    /// }
    /// ```
    public mutating func next() -> M? {
        while !source.life.isOver, source.reader.streamFailure == nil, let identifier = identifiers.popFirst() {
            guard source.reader.isBetweenTrees else {
                source.reader.streamFailure = CacheError(
                    .reentrant, "A model's initialiser asked for the next model of the view that is reading it.")
                return nil
            }
            do throws(CacheError) {
                if let model = try SnapshotReader(source: source).model(identifier, as: M.self) { return model }
            } catch {
                source.reader.streamFailure = error
            }
        }
        return nil
    }
}

/// Reads for a sequence as its snapshot does.
private struct SnapshotReader: CacheReader {
    let source: _SnapshotSource

    func _beginTree(_ identifier: ModelIdentifier, maxAge: Double?) throws(CacheError) -> _TreeRead {
        _TreeRead(source.core, source.reader, identifier, maxAge)
    }

    func _endTree(_ read: borrowing _TreeRead, _ identifier: ModelIdentifier, _ outcome: _TreeOutcome) {
        source.core.endTree(source.reader, identifier, outcome)
    }
}

extension CacheView: CacheSnapshot {
    /// Reads in the snapshot.
    public var _source: _SnapshotSource { _SnapshotSource(core: core, reader: reader, life: life) }
}

extension CacheTransaction: CacheSnapshot {
    /// Reads in the snapshot.
    public var _source: _SnapshotSource {
        _SnapshotSource(core: scope.core, reader: scope.reader, life: scope.life)
    }

    /// Deletes every model of type `M`; see ``CacheReader/identifiers(of:)`` for what finding them costs.
    ///
    /// ```swift
    /// try cache.write { tx in
    ///     try tx.delete(allOf: Draft.self)
    ///     try tx.write(Draft(id: "new", text: ""))
    /// }
    /// ```
    @discardableResult
    public func delete<M: CacheableModel>(allOf type: M.Type) throws(CacheError) -> ChangeSet {
        let identifiers = try identifiers(of: type)
        scope.deletedTypes.insert(ObjectIdentifier(type))
        return try _perform(.standard) { () throws(CacheError) in
            _WriteContent(extras: identifiers.map { .tombstone($0) })
        }
    }
}
