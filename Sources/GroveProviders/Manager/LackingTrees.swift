import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is shown as it was because the cache has forgotten a part of the newest: it is read again when that part is there again.
struct LackingTrees {
    /// What is to be read again.
    enum Holder: Hashable {
        case model(ModelIdentifier)
        case list(ModelIdentifier)
    }

    /// Who lacks each missing node.
    private var holders: [ModelIdentifier: Set<Holder>] = [:]

    /// No more are noted: those are as they were until they change.
    private static let most = 1_024

    /// Whose owners were told.
    private var told: Set<ModelIdentifier> = []

    var isEmpty: Bool { holders.isEmpty }
    var isNobodyTold: Bool { told.isEmpty }

    /// Notes that the owners of `models` are told.
    mutating func tell(_ models: some Sequence<ModelIdentifier>) { told.formUnion(models) }

    /// Those of `models`, which were read whole, whose owners were told that they are not.
    mutating func settle(_ models: Set<ModelIdentifier>) -> Set<ModelIdentifier> {
        defer { told.subtract(models) }
        return told.intersection(models)
    }

    /// Notes that `holder` lacks `missing`; returns whether that is new.
    mutating func note(_ holder: Holder, lacks missing: ModelIdentifier) -> Bool {
        guard holders.count < LackingTrees.most || holders[missing] != nil else { return false }
        return holders[missing, default: []].insert(holder).inserted
    }

    /// Takes out who lacks what `isPresent` names.
    mutating func take(_ isPresent: (Dictionary<ModelIdentifier, Set<Holder>>.Keys) -> [ModelIdentifier]) -> Set<Holder>
    {
        guard !holders.isEmpty else { return [] }
        return isPresent(holders.keys).reduce(into: []) { all, missing in
            all.formUnion(holders.removeValue(forKey: missing) ?? [])
        }
    }
}

extension DataModelManager {
    /// Notes what each holder lacks, and reads it once more where that is new: what was told in the moment between its read and
    /// this was told to nobody.
    ///
    /// - Returns: those for whom it is not new.
    func note(_ misses: [LackingTrees.Holder: CacheMiss]) -> [LackingTrees.Holder: CacheMiss] {
        let new = lacking.withLock { lacking in
            misses.filter { lacking.note($0.key, lacks: $0.value.identifier) }
        }
        readAgain(Set(new.keys))
        return misses.filter { new[$0.key] == nil }
    }

    /// Tells owners what became of models that were read at `time`: what they lack still, and that they are whole again.
    func tell(
        _ misses: [ModelIdentifier: CacheMiss], whole: () -> Set<ModelIdentifier>, readAt time: Date
    ) {
        let isNobodyTold = lacking.withLock { $0.isNobodyTold }
        guard !misses.isEmpty || !isNobodyTold else { return }
        let holders = misses.map { (LackingTrees.Holder.model($0.key), $0.value) }
        let noted = note(Dictionary(uniqueKeysWithValues: holders))
        let still = misses.filter { noted[.model($0.key)] != nil }
        let settled = lacking.withLock { lacking in
            lacking.tell(still.keys)
            return isNobodyTold ? [] : lacking.settle(whole())
        }
        guard !still.isEmpty || !settled.isEmpty else { return }
        consistencyManager.afterDelivery { [weak self] in
            guard let self else { return }
            for holder in providers.values { holder.provider?.note(lacking: still, whole: settled, readAt: time) }
            for holder in stores.values { holder.store?.note(lacking: still, whole: settled, readAt: time) }
        }
    }

    /// Reads again what lacked something that others changed.
    func readWhatLacked(_ changes: any CommittedChanges) {
        readAgain(
            lacking.withLock { lacking in
                lacking.take { missing in changes.changed(among: missing) { missing.contains($0) } }
            })
    }

    /// Reads again what lacked something in `models`, which this manager has just stored.
    func readWhatLacked(_ models: [any SimpleModel]) {
        guard !lacking.withLock({ $0.isEmpty }) else { return }
        var stored: Set<ModelIdentifier> = []
        for model in models {
            Leaf.node(model).forEachInOrder { if let identifier = $0.modelIdentifier { stored.insert(identifier) } }
        }
        readAgain(lacking.withLock { lacking in lacking.take { $0.filter(stored.contains) } })
    }

    private func readAgain(_ holders: Set<LackingTrees.Holder>) {
        guard !holders.isEmpty else { return }
        var (models, lists): (Set<ModelIdentifier>, Set<ModelIdentifier>) = ([], [])
        for holder in holders {
            switch holder {
            case .model(let identifier): models.insert(identifier)
            case .list(let key): lists.insert(key)
            }
        }
        if !models.isEmpty { readModelsAgain(models) }
        if !lists.isEmpty { followLists(lists) }
    }
}
