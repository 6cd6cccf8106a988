import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// A maximum age is passed over.
// SAFETY: it adds nothing to its sendable base class.
final class IgnoresAges: ForwardingCache, @unchecked Sendable {
    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<M> {
        try base.read(identifier, as: type)
    }
}

/// What is read counts as confirmed.
// SAFETY: it adds nothing to its sendable base class.
final class ConfirmsByReading: ForwardingCache, @unchecked Sendable {
    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        let read = try base.read(identifier, as: type)
        if let model = read.value { try base.write(model) }
        return read
    }
}

/// A rewrite that changes nothing does not confirm.
// SAFETY: it adds nothing to its sendable base class.
final class ConfirmsChangesOnly: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        try base.write(
            contentsOf: models.filter { model in
                guard let identifier = model.modelIdentifier else { return true }
                return (try? base.read(identifier, as: M.self))?.value.map { !$0.isEqual(to: model) } ?? true
            })
    }
}

/// What is found after opening counts as confirmed at that moment.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class ConfirmsAtOpening: ForwardingCache, @unchecked Sendable {
    private let found = Mutex<Set<ModelIdentifier>>([])

    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<M> {
        if found.withLock({ $0.insert(identifier).inserted }), let model = try base.read(identifier, as: type).value {
            try base.write(model)
        }
        return try base.read(identifier, as: type, maxAge: maxAge)
    }
}

/// What goes for a new node is the one that was written before it.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class EvictsTheYoung: ForwardingCache, @unchecked Sendable {
    private let written = Mutex<[ModelIdentifier]>([])

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let changes = try base.write(contentsOf: models)
        let victim = written.withLock { written in
            written.append(contentsOf: models.compactMap(\.modelIdentifier))
            return written.count > 200 ? written[written.count - 2] : nil
        }
        if let victim { try base.evict(victim) }
        return changes
    }
}

/// What was never confirmed goes first.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class EvictsTheUnconfirmed: ForwardingCache, @unchecked Sendable {
    private let unconfirmed = Mutex<[ModelIdentifier]>([])
    private let written = Mutex(0)

    override func writeUnconfirmed<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        if let identifier = model.modelIdentifier { unconfirmed.withLock { $0.append(identifier) } }
        return try base.writeUnconfirmed(model)
    }

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let isFull = written.withLock { written in
            written += models.count
            return written > 200
        }
        if isFull, let victim = unconfirmed.withLock({ $0.popLast() }) { try base.evict(victim) }
        return try base.write(contentsOf: models)
    }
}
