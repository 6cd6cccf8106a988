public import GroveCoding
public import GroveModel

/// All models of a type, in the order of their identifiers' bytes.
///
/// On LMDB, LevelDB and in memory, which keep keys in order, this reads the rows of the type only. The type has to say
/// what its identifiers begin with: ``KeyedModel/identifierPrefix``, which `@Cacheable` makes. For other types, and on
/// SQLite, which keeps keys by their hashes, it is one pass over the envelopes of all nodes.
///
/// With a `limit` it reads so many rows from `start` on, and what is queued: O(log *n* + `limit`). On SQLite all keys
/// of the type are still sorted for each call, and only the rows of the page are read. This is an order of keys, not an
/// index: no other field is ordered or searched by.
extension CacheReader where Self: ~Copyable {
    /// The identifiers of the nodes that type `M` wrote, in the order of their bytes, without deleted ones.
    ///
    /// ```swift
    /// let oldest = try cache.identifiers(of: Draft.self).first
    /// ```
    ///
    /// A node is listed by its record name, even if a node of the tree below it is missing. A damaged record is not
    /// listed; reading it by its identifier throws.
    ///
    /// - Parameters:
    ///   - start: identifiers after this one are listed; it need not be in the cache.
    ///   - limit: the most identifiers to list; `nil` for all.
    public func identifiers<M: CacheableModel>(
        of type: M.Type, after start: ModelIdentifier? = nil, limit: Int? = nil
    ) throws(CacheError) -> [ModelIdentifier] {
        // No tree is read, and none is counted.
        let begun = try _beginTree("all of a type", maxAge: nil)
        defer { _endTree(begun, "all of a type", .again) }
        return try begun.reader.identifiers(of: type, after: start, limit: limit ?? .max)
    }

    /// The number of nodes that type `M` wrote, without deleted ones; it takes as long as
    /// ``identifiers(of:after:limit:)``.
    ///
    /// ```swift
    /// let badge = try cache.count(of: Draft.self)
    /// ```
    public func count<M: CacheableModel>(of type: M.Type) throws(CacheError) -> Int {
        try identifiers(of: type).count
    }
}

/// A reader that keeps one view of the cache as long as it lives: a ``CacheView`` or a ``CacheTransaction``.
public protocol CacheSnapshot: CacheReader, ~Copyable {
    /// The source from which a sequence reads in the snapshot after the call that made it.
    var _source: _SnapshotSource { get }
}

/// A source that reads from a snapshot as long as the snapshot lives.
public struct _SnapshotSource {
    let core: CacheCore
    let reader: Reconstructor
    let life: SnapshotLife
}

/// Whether a snapshot has ended: a sequence may outlive it, and its reader then serves other reads.
final class SnapshotLife {
    var isOver = false
}

extension CacheSnapshot where Self: ~Copyable {
    /// The models of type `M`, in the order of their identifiers' bytes, each read when the sequence comes to it.
    ///
    /// ```swift
    /// let unread = try cache.read { view in
    ///     try view.models(Message.self).filter { !$0.isRead }
    /// }
    /// ```
    ///
    /// Only the identifiers are in memory at once. A model is left out if a node of its tree is missing. If the store
    /// fails midway, the sequence ends, and the `read` or `write` that it belongs to throws the error. After that call
    /// has returned, the sequence is empty.
    ///
    /// With a `limit`, the sequence ends after that many models; if it has fewer, there are no more. For the next page,
    /// pass the identifier of the last model as `after`: in this view, in another one or after a relaunch.
    ///
    /// ```swift
    /// let page = try cache.read { view in Array(try view.models(Message.self, after: last, limit: 50)) }
    /// ```
    ///
    /// - Parameters:
    ///   - start: models after this identifier are read; it need not be in the cache.
    ///   - limit: the most models; `nil` for all.
    public func models<M: CacheableModel>(
        _ type: M.Type, after start: ModelIdentifier? = nil, limit: Int? = nil
    ) throws(CacheError) -> ModelSequence<M> {
        ModelSequence(_source, try identifiers(of: type, after: start, limit: limit), limit)
    }
}

/// The models of one type in a snapshot; see ``CacheSnapshot/models(_:after:limit:)``.
public struct ModelSequence<M: CacheableModel>: Sequence, IteratorProtocol {
    private let source: _SnapshotSource
    private var identifiers: ArraySlice<ModelIdentifier> = []
    /// The number of models that are still wanted.
    private var rest: Int?
    /// The identifier behind which there may be more.
    private var last: ModelIdentifier?

    init(_ source: _SnapshotSource, _ identifiers: [ModelIdentifier], _ limit: Int?) {
        self.source = source
        rest = limit
        take(identifiers)
    }

    private mutating func take(_ found: [ModelIdentifier]) {
        identifiers = found[...]
        last = found.count == rest ? found.last : nil
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
        while !source.life.isOver, source.reader.streamFailure == nil {
            guard rest != 0 else { return nil }
            guard source.reader.isBetweenTrees else {
                source.reader.streamFailure = CacheError(
                    .reentrant, "A model's initialiser asked for the next model of the view that is reading it.")
                return nil
            }
            let view = CacheView(_source: source)
            do throws(CacheError) {
                // Models that are left out do not count.
                if identifiers.isEmpty, let last {
                    take(try view.identifiers(of: M.self, after: last, limit: rest))
                }
                guard let identifier = identifiers.popFirst() else { return nil }
                guard let model = try view.model(identifier, as: M.self) else { continue }
                rest = rest.map { $0 - 1 }
                return model
            } catch {
                source.reader.streamFailure = error
            }
        }
        return nil
    }
}

extension CacheTransaction: CacheSnapshot {
    /// Reads in the snapshot.
    public var _source: _SnapshotSource {
        _SnapshotSource(core: scope.core, reader: scope.reader, life: scope.life)
    }

    /// Deletes every model of type `M`; ``CacheReader/identifiers(of:after:limit:)`` says how long it takes to find
    /// them.
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
