import Dispatch
import GroveCoding
package import GroveModel

extension NormalizedCache: FollowableCache {
    package func followed(
        by tell: @escaping @Sendable (any CommittedChanges) -> Void, isShown: (@Sendable (ShownItem) -> Bool)?
    ) -> any FollowedCache {
        let isAsked = core.evictor != nil
        // This tells the follower that it is going to be asked.
        if isAsked { _ = isShown?(.model("")) }
        return Followed(cache: self, origin: core.audience.streams.follow(tell, shows: isAsked ? isShown : nil))
    }

    /// Returns when followers and observers were told of every commit that was made before.
    package func followersTold() async {
        await withCheckedContinuation { continuation in core.audience.events.async { continuation.resume() } }
    }

    // MARK: Writes, by a follower or not

    func set(
        _ model: any SimpleModel, _ key: String, origin: FollowerID, asOf place: StoredPlace? = nil,
        settled: FollowedCache.Settled? = nil
    ) {
        enqueue(key, origin: origin, settled: settled) { () throws(CacheError) in
            try PendingWrite.Content.alias(key, of: model).answering(place)
        }
    }

    func edit(
        _ edit: ListEdit, _ key: String, origin: FollowerID, ticket: EditTicket = .none, asOf place: StoredPlace? = nil,
        fillsOnly: Bool = false, madeAt wipes: WipeCount? = nil, settled: FollowedCache.Settled? = nil
    ) {
        enqueue(key, origin: origin, settled: settled) { () throws(CacheError) in
            try ModelIdentifier(key).check()
            var content = try PendingWrite.Content(edit, of: key)
            content.fillsOnly = fillsOnly
            content.ticket = ticket
            content.wipes = wipes
            return content.answering(place)
        }
    }

    func delete(
        _ identifier: ModelIdentifier?, _ key: String?, origin: FollowerID, asOf place: StoredPlace? = nil,
        settled: FollowedCache.Settled? = nil
    ) {
        enqueue(key ?? identifier?.rawValue, origin: origin, settled: settled) { () throws(CacheError) in
            var extras: [PendingWrite.Extra] = []
            if let identifier {
                try identifier.check()
                extras.append(.tombstone(identifier))
            }
            if let key {
                try ModelIdentifier(key).check()
                extras.append(.remove(Namespace.alias, key))
            }
            guard !extras.isEmpty else {
                throw CacheError(.unidentified, "A model without an identifier can be deleted only by its key.")
            }
            return PendingWrite.Content(extras: extras).answering(place)
        }
    }
}

extension PendingWrite.Content {
    /// The same content as an answer to a request that was sent at `place`, if there is one.
    fileprivate consuming func answering(_ place: StoredPlace?) -> PendingWrite.Content {
        asOf = place
        isConfirmed = place != nil
        return self
    }
}

/// A cache as one follower uses it.
private final class Followed<Store: NodeStore>: FollowedCache {
    private let cache: NormalizedCache<Store>
    private let origin: FollowerID

    init(cache: NormalizedCache<Store>, origin: FollowerID) {
        self.cache = cache
        self.origin = origin
    }

    deinit { cache.core.audience.streams.unfollow(origin) }

    func inOrder(_ call: @escaping @Sendable () -> Void) { cache.core.followers.line.join(call) }

    func place() -> StoredPlace {
        let place = cache.core.unnumberedPlace()
        // Calls that were made before have no numbers until the line has come to them.
        inOrder { [core = cache.core] in place.numbers = core.place().numbers }
        return place
    }

    var life: LifeID { cache.core.life }

    var wipesByOthers: WipeCount { cache.core.state.withLock(\.wipes.byOthers) }

    // MARK: Writes

    func save(_ model: any SimpleModel, forKey cacheKey: String, asOf place: StoredPlace?, settled: @escaping Settled) {
        cache.set(model, cacheKey, origin: origin, asOf: place, settled: settled)
    }

    func edit(
        _ edit: ListEdit, forKey cacheKey: String, ticket: EditTicket, asOf place: StoredPlace?, fillsOnly: Bool,
        madeAt wipes: WipeCount?, settled: @escaping Settled
    ) {
        cache.edit(
            edit, cacheKey, origin: origin, ticket: ticket, asOf: place, fillsOnly: fillsOnly, madeAt: wipes,
            settled: settled)
    }

    func delete(
        _ identifier: ModelIdentifier?, forKey cacheKey: String?, asOf place: StoredPlace?, settled: @escaping Settled
    ) {
        cache.delete(identifier, cacheKey, origin: origin, asOf: place, settled: settled)
    }

    func wipe(_ completion: @escaping @Sendable (CacheError?) -> Void) {
        do throws(CacheError) {
            try cache.checkOpen()
            let wipe = PendingWrite(
                sequence: try cache.core.takeSequence(), kind: .wipe, origin: origin,
                completion: { outcome in
                    if case .failure(let error) = outcome { completion(error) } else { completion(nil) }
                })
            try cache.core.enqueue(wipe, schedulingDrain: true)
        } catch {
            completion(error)
        }
    }

    // MARK: Reads

    func read<T: SimpleModel>(
        _ cacheKey: String, as type: T.Type, maxAge: Double?,
        completion: @escaping @Sendable (Result<AgedRead<T>, CacheError>) -> Void
    ) {
        ask(completion) { (source) throws(CacheError) in
            let outcome = try CacheView(_source: source).read(.key(cacheKey), asAny: type)
            guard let maxAge, case .hit = outcome else { return AgedRead(outcome.cast(to: type), isFresh: false) }
            // The second read asks the same question, which counts once.
            source.reader.keepsTouches(false)
            let aged = try CacheView(_source: source, isCounted: false).read(
                .key(cacheKey), asAny: type, maxAge: maxAge)
            return AgedRead(outcome.cast(to: type), isFresh: aged.value != nil)
        }
    }

    func readList<T: SimpleModel>(
        _ cacheKey: String, of type: T.Type, missing: MissingElements,
        completion: @escaping @Sendable (Result<CacheRead<ListRead<T>>, CacheError>) -> Void
    ) {
        let origin = origin
        ask(completion) { (source) throws(CacheError) in
            try CacheView(_source: source).readList(cacheKey, ofAny: type, missing: missing, for: origin)
        }
    }

    func isListFresh<T: SimpleModel>(
        _ cacheKey: String, of type: T.Type, maxAge: Double, completion: @escaping @Sendable (Bool) -> Void
    ) {
        ask({ (read: Result<CacheRead<[T]>, CacheError>) in completion((try? read.get())?.value != nil) }) {
            (source) throws(CacheError) in
            source.reader.keepsTouches(false)
            return try CacheView(_source: source, isCounted: false).readCollection(
                cacheKey, ofAny: type, missing: .miss, maxAge: maxAge
            ).map(\.elements)
        }
    }

    /// Runs `read` in one view, on a queue of the cache.
    private func ask<Value>(
        _ completion: @escaping @Sendable (Result<Value, CacheError>) -> Void,
        _ read: @escaping @Sendable (_SnapshotSource) throws(CacheError) -> Value
    ) {
        cache.core.readers.queue.async { [cache] in
            completion(
                Result { () throws(CacheError) in
                    try cache.checkOpen()
                    let reader = try cache.core.beginRead()
                    defer { cache.core.endRead(reader) }
                    return try read(_SnapshotSource(cache.core, reader))
                })
        }
    }

    func readAgain(_ body: @escaping @Sendable ((any FollowedView)?) -> Void) {
        cache.core.readers.queue.async { [cache, origin] in
            guard (try? cache.checkOpen()) != nil, let reader = try? cache.core.beginRead() else { return body(nil) }
            reader.keepsTouches(false)
            unsafe reader.state.pointee.basis.readsCommittedLists = true
            body(AgainView(source: _SnapshotSource(cache.core, reader), origin: origin))
            cache.core.endRead(reader)
        }
    }

    func afterTelling(_ body: @escaping @Sendable () -> Void) { cache.core.audience.events.async { body() } }
}

extension _SnapshotSource {
    /// A source of the reads that a follower asks for.
    fileprivate init(_ core: CacheCore, _ reader: Reconstructor) {
        self.init(core: core, reader: reader, life: SnapshotLife())
    }
}

extension CacheView {
    /// Reads a list, with the commit that it is as of, and the last edit of the follower `origin` that it has.
    fileprivate func readList<T: SimpleModel>(
        _ key: String, ofAny type: T.Type, missing: MissingElements, for origin: FollowerID
    ) throws(CacheError) -> CacheRead<ListRead<T>> {
        let view = unsafe _source.reader.state.pointee.basis.view
        let commit = try view.map { (view) throws(CacheError) in try StoreState(view).commit }
        return try readCollection(key, ofAny: type, missing: missing, maxAge: nil).map { read in
            ListRead(
                elements: read.elements, hidden: read.hidden,
                commit: read.isCommitted ? commit : nil,
                ticket: commit.map { _source.core.followers.ownEdits.last(of: origin, in: $0) } ?? .none)
        }
    }
}

/// The view in which a follower reads its models and lists again.
private struct AgainView: FollowedView {
    let source: _SnapshotSource
    let origin: FollowerID

    private var view: CacheView { CacheView(_source: source, isCounted: false) }

    func know(_ models: [any SimpleModel]) { source.reader.know(models) }

    func model(_ cacheKey: ModelIdentifier, as type: any SimpleModel.Type) -> CacheRead<any SimpleModel>? {
        try? view.read(.key(cacheKey.rawValue), asAny: type)
    }

    func list<T: SimpleModel>(
        _ cacheKey: ModelIdentifier, of type: T.Type, missing: MissingElements
    ) -> CacheRead<ListRead<T>>? {
        try? view.readList(cacheKey.rawValue, ofAny: type, missing: missing, for: origin)
    }

    func rows<T: SimpleModel>(
        _ cacheKey: ModelIdentifier, of type: T.Type, _ wanted: WantedRows
    ) -> CacheRead<FoundRows<T>>? {
        source.reader.keepsTouches(wanted.isUse)
        defer { source.reader.keepsTouches(false) }
        let commit = unsafe source.reader.state.pointee.basis.view.flatMap { try? StoreState($0).commit }
        return try? view.rows(cacheKey, ofAny: type, wanted, asOf: commit)
    }
}

extension CacheRead<any SimpleModel> {
    /// The same outcome as the type that was asked for.
    fileprivate func cast<T: SimpleModel>(to type: T.Type) -> CacheRead<T> {
        switch self {
        case .hit(let model as T): .hit(model)
        case .hit(let model): .miss(CacheMiss(.otherType, model.modelIdentifier ?? ""))
        case .miss(let miss): .miss(miss)
        }
    }
}
