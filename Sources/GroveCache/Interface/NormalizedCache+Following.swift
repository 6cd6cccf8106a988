import GroveCoding
public import GroveModel

extension NormalizedCache: FollowableCache {
    /// The cache, for one who follows it: `tell` is told of every commit that is not the follower's own, by whichever handle and
    /// whichever call of this process, on the cache's queue of events.
    ///
    /// ```swift
    /// let followed = cache.followed { changes in
    ///     if changes.deletedModelIds.contains("Message:34") { print("gone") }
    /// }
    /// followed.deleteModel(message, forKey: nil, context: nil)
    /// ```
    public func followed(by tell: @escaping @Sendable (any CommittedChanges) -> Void) -> any FollowedCache {
        Followed(cache: self, origin: core.audience.streams.follow(tell))
    }

    /// The same, for one who shows something, which is evicted last.
    ///
    /// ```swift
    /// let followed = cache.followed(by: { _ in }, isShown: { $0 == .list("inbox") })
    /// followed.deleteModel(message, forKey: nil, context: nil)
    /// ```
    public func followed(
        by tell: @escaping @Sendable (any CommittedChanges) -> Void,
        isShown: @escaping @Sendable (ShownItem) -> Bool
    ) -> any FollowedCache {
        Followed(cache: self, origin: core.audience.streams.follow(tell, shows: isShown))
    }

    // MARK: Writes, by a follower or not

    func set(_ model: any SimpleModel, _ key: String, origin: UInt64) {
        enqueue(key, origin: origin) { () throws(CacheError) in try .alias(key, of: model) }
    }

    func set(_ collection: [any SimpleModel], _ key: String, origin: UInt64) {
        enqueue(key, origin: origin) { () throws(CacheError) in try .list(collection, key) }
    }

    func save(
        _ list: @escaping @Sendable () -> [any SimpleModel], after edit: ListEdit?, of version: ListVersion,
        _ key: String, origin: UInt64
    ) {
        let known = version.note as? HeldList
        // After a call that failed, none of the edits is of the list that is stored.
        let current = known.flatMap { $0.isLost ? nil : $0 } ?? HeldList()
        let held = HeldEdit(current, owner: ObjectIdentifier(core), list)
        let isQueued = enqueue(key, origin: origin) { () throws(CacheError) in
            var content: PendingWrite.Content
            if let edit {
                try ModelIdentifier(key).check()
                content = try DynamicRoots(edit.elements).replacing(edit.range, key)
                if known == nil { try held.storeWhole() }
            } else {
                content = try .list(list(), key)
            }
            content.held = held
            return content
        }
        version.note = isQueued ? current : nil
    }

    func delete(_ model: any SimpleModel, _ key: String?, origin: UInt64) {
        enqueue(key ?? model.modelIdentifier?.rawValue, origin: origin) { () throws(CacheError) in
            var extras: [PendingWrite.Extra] = []
            if let identifier = model.modelIdentifier {
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
            return PendingWrite.Content(extras: extras)
        }
    }
}

/// A cache as one follower uses it.
private final class Followed<Store: NodeStore>: FollowedCache {
    private let cache: NormalizedCache<Store>
    private let origin: UInt64

    init(cache: NormalizedCache<Store>, origin: UInt64) {
        self.cache = cache
        self.origin = origin
    }

    func inOrder(_ call: @escaping @Sendable () -> Void) { cache.core.followers.join(call) }

    deinit { cache.core.audience.streams.unfollow(origin) }

    func readNow(
        _ models: [(identifier: ModelIdentifier, type: any SimpleModel.Type)], known: [any SimpleModel]
    ) -> [CacheRead<any SimpleModel>?] {
        let outcomes = try? cache.read { view in
            view.reader.know(known)
            view.reader.keepsTouches(false)
            var outcomes: [CacheRead<any SimpleModel>?] = []
            for (identifier, type) in models {
                outcomes.append(try? view.read(.identifier(identifier), asAny: type))
            }
            return outcomes
        }
        return outcomes ?? models.map { _ in nil }
    }

    func readListNow<T: SimpleModel>(
        _ cacheKey: String, of type: T.Type, known: [T], missing: MissingElements
    ) -> CacheRead<[T]>? {
        try? cache.read { view in
            view.reader.know(known)
            view.reader.keepsTouches(false)
            return try view.readCollection(cacheKey, ofAny: type, missing: missing)
        }
    }

    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        cache.modelForKey(cacheKey, context: context, completion: completion)
    }

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        cache.collectionForKey(cacheKey, context: context, completion: completion)
    }

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, missing: MissingElements, context: (any Sendable)?,
        completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        cache.collectionForKey(cacheKey, missing: missing, context: context, completion: completion)
    }

    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        cache.set(model, cacheKey, origin: origin)
    }

    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        cache.set(collection, cacheKey, origin: origin)
    }

    func saveList(
        _ list: @escaping @Sendable () -> [any SimpleModel], after edit: ListEdit?, of version: ListVersion,
        forKey cacheKey: String, context: (any Sendable)?
    ) {
        cache.save(list, after: edit, of: version, cacheKey, origin: origin)
    }

    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        cache.delete(model, cacheKey, origin: origin)
    }

    func wipe(_ completion: @escaping @Sendable (CacheError?) -> Void) {
        do throws(CacheError) {
            try cache.checkOpen()
            let wipe = PendingWrite(
                sequence: try cache.core.takeSequence(), time: cache.core.clock.ofCall, isWipe: true, origin: origin
            ) { outcome in
                if case .failure(let error) = outcome { completion(error) } else { completion(nil) }
            }
            try cache.core.enqueue(wipe, schedulingDrain: true)
        } catch {
            completion(error)
        }
    }

    func wipe() async throws(CacheError) {
        let failure = await withCheckedContinuation { continuation in wipe { continuation.resume(returning: $0) } }
        if let failure { throw failure }
    }
}
