import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// A completion is called a second time.
// SAFETY: what it adds to its sendable base class is constant or behind a mutex.
final class CompletesTwice: ForwardingCache, @unchecked Sendable {
    override func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        base.modelForKey(cacheKey, context: context) { (model: T?, error: (any Error)?) in
            completion(model, error)
            completion(model, error)
        }
    }
}

/// A completion is not called on a miss.
// SAFETY: what it adds to its sendable base class is constant or behind a mutex.
final class ForgetsCompletion: ForwardingCache, @unchecked Sendable {
    override func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        base.modelForKey(cacheKey, context: context) { (model: T?, error: (any Error)?) in
            if model != nil || error != nil { completion(model, error) }
        }
    }
}

/// Two writes that follow each other closely change places, as on a concurrent queue.
// SAFETY: what it adds to its sendable base class is constant or behind a mutex.
final class SwapsWrites: ForwardingCache, @unchecked Sendable {
    private let held = Mutex<(any SimpleModel, String)?>(nil)

    override func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        let earlier: (any SimpleModel, String)? = held.withLock { held in
            defer { held = held == nil ? (model, cacheKey) : nil }
            return held
        }
        guard let earlier else { return }
        base.setModel(model, forKey: cacheKey, context: context)
        base.setModel(earlier.0, forKey: earlier.1, context: context)
    }

    override func flush() throws(CacheError) {
        let earlier: (any SimpleModel, String)? = held.withLock { held in
            defer { held = nil }
            return held
        }
        if let earlier { base.setModel(earlier.0, forKey: earlier.1, context: nil) }
        try base.flush()
    }
}

/// A failed write is not reported.
// SAFETY: what it adds to its sendable base class is constant or behind a mutex.
final class SwallowsFailures: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        (try? base.write(contentsOf: models)) ?? WrittenChanges()
    }

    override func flush() throws(CacheError) { try? base.flush() }
}

/// A change set is always empty.
// SAFETY: what it adds to its sendable base class is constant or behind a mutex.
final class ChangesNothing: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        _ = try base.write(contentsOf: models)
        return WrittenChanges()
    }
}

/// Of what is there in another form a miss says that it is absent.
// SAFETY: what it adds to its sendable base class is constant or behind a mutex.
final class GivesNoReason: ForwardingCache, @unchecked Sendable {
    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        let read = try base.read(identifier, as: type)
        guard let reason = read.miss?.reason, [.incomplete, .otherShape, .otherType].contains(reason) else {
            return read
        }
        return .miss(CacheMiss(.absent, identifier))
    }
}

/// The first answer to a read is given for ever.
// SAFETY: what it adds to its sendable base class is constant or behind a mutex.
final class RemembersAnswers: ForwardingCache, @unchecked Sendable {
    private let answers = Mutex<[ModelIdentifier: any Sendable]>([:])

    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        if let known = answers.withLock({ $0[identifier] }) as? M { return .hit(known) }
        let read = try base.read(identifier, as: type)
        if let value = read.value { answers.withLock { $0[identifier] = value } }
        return read
    }
}

/// A closed cache goes on.
// SAFETY: what it adds to its sendable base class is constant or behind a mutex.
final class StaysOpen: ForwardingCache, @unchecked Sendable {
    override func close() {}
}

/// Every third read gives an answer from ten reads before.
// SAFETY: what it adds to its sendable base class is constant or behind a mutex.
final class GoesBack: ForwardingCache, @unchecked Sendable {
    private let answers = Mutex<[(any Sendable)?]>([])

    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        let read = try base.read(identifier, as: type)
        let old: (any Sendable)? = answers.withLock { answers in
            answers.append(read.value)
            return answers.count > 10 && answers.count % 3 == 0 ? answers[answers.count - 10] : nil
        }
        guard let old = old as? M, old.modelIdentifier == identifier else { return read }
        return .hit(old)
    }
}

/// In a collection an element is what `setModel` brought last, whatever was written later.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class ShowsQueuedAgain: ForwardingCache, @unchecked Sendable {
    private let queued = Mutex<[ModelIdentifier: any SimpleModel]>([:])

    override func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        if let identifier = model.modelIdentifier { queued.withLock { $0[identifier] = model } }
        base.setModel(model, forKey: cacheKey, context: context)
    }

    override func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, missing: MissingElements
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        guard case .hit(let read) = try base.readCollection(key, as: type, missing: missing) else {
            return try base.readCollection(key, as: type, missing: missing)
        }
        let queued = queued.withLock { $0 }
        let values = read.values.map { element in element.modelIdentifier.flatMap { queued[$0] as? M } ?? element }
        return .hit(ReadElements(values, skipped: read.skipped))
    }
}
