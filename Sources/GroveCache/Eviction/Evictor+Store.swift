import GroveModel

/// The evictor and its store: the budget that the store is told when it opens, and the file that the evictor saves in
/// its directory.
extension Evictor {
    /// The name of the file that is saved beside the store's own; engines leave names that begin like it alone.
    static let fileName = "grove-eviction"

    /// The part of the budget that is kept for the saved file.
    private var reserve: Int { (budget.bytes ?? 0) / 21 }

    /// The budget that ``begin(_:_:)`` is going to tell the store, unless something is set aside before.
    func storeBudget(in source: StoreSource) -> Int? {
        guard source.isPersistent, let directory = source.directory else { return budget.bytes }
        return budget.bytes.map { left(of: $0, source.leastBudget, StoreDirectory.setAsideBytes(directory)).bytes }
    }

    /// The bytes that are left to the files of the store itself beside the cache's own and those that were set aside,
    /// and whether there is room for the latter.
    private func left(of bytes: Int, _ least: Int, _ aside: Int) -> (bytes: Int, isAsideKept: Bool) {
        let isAsideKept = aside <= min(bytes / 8, bytes - least)
        // Beside the saved file: the file of the generation and the mark for backups, a page each.
        let own = reserve + 2 * 4_096
        return (bytes - own - (isAsideKept ? aside : 0), isAsideKept)
    }

    /// Tells a store that was just opened its budget.
    ///
    /// A store that has more than its budget already is made smaller. If that fails, it is emptied of all but
    /// ``KeptRecords``: a cache may forget.
    func begin(_ opened: inout StoreSource.Opened, _ source: StoreSource) throws(CacheError) {
        let directory = source.isPersistent ? source.directory : nil
        guard let bytes = budget.bytes else { return begin(capacity: .max, saved: directory) }
        var left = bytes
        if let directory {
            let isAsideKept: Bool
            (left, isAsideKept) = self.left(of: bytes, source.leastBudget, StoreDirectory.setAsideBytes(directory))
            if !isAsideKept { try StoreDirectory.removeSetAside(directory) }
        }
        do throws(CacheError) {
            begin(capacity: try capacity(of: opened.store, within: left), saved: directory)
            // Without the file, eviction goes by the time of writing.
            if let directory, StoreDirectory.length(of: Evictor.fileName, in: directory) ?? 0 > reserve {
                Evictor.removeSaved(in: directory)
            }
            return
        } catch {
            guard error.code == .overBudget else { throw error }
            if try shrink(&opened, source, to: left) { return }
            opened.rebuiltAfter = error
        }
        let store = opened.store
        let kept = try KeptRecords(in: store, directory)
        var state = StoreState()
        try replace(&opened, source) { (generation) throws(CacheError) in
            _ = generation?.advance()
            state = try kept.empty(store, in: directory)
        }
        opened.state = state
        begin(capacity: try capacity(of: store, within: left), saved: nil)
    }

    /// The payload that fits into `store` within `bytes`, which it is told.
    func capacity(of store: any NodeStore, within bytes: Int) throws(CacheError) -> Int {
        try (store as? any BudgetedStore)?.setBudget(bytes) ?? bytes
    }

    /// Runs `body`, which may replace the files of `opened`, while no other process opens them.
    func replace(
        _ opened: inout StoreSource.Opened, _ source: StoreSource,
        _ body: (StoreGeneration?) throws(CacheError) -> Void
    ) throws(CacheError) {
        guard let replaced = try source.replacing(body) else { return }
        opened.word = replaced.word
        opened.file = replaced.file
    }

    /// Saves the touches in `directory`, if the budget has room for them.
    func save(in directory: String) {
        guard let bytes = save() else { return }
        saved.changesSince = 0
        guard budget.bytes == nil || bytes.count <= reserve else { return Evictor.removeSaved(in: directory) }
        StoreDirectory.write(bytes, to: Evictor.fileName, in: directory)
    }

    /// The bytes that were saved in `directory`.
    static func readSaved(in directory: String) -> [UInt8]? { StoreDirectory.read(fileName, in: directory) }

    /// Removes the file that was saved in `directory`.
    static func removeSaved(in directory: String) { StoreDirectory.remove(fileName, in: directory) }
}

extension StoreSource {
    /// Opens the store within the budget of `evictor`; damage that shows then is set aside as well.
    func opened(within evictor: Evictor?, after damage: CacheError? = nil) throws(CacheError) -> Opened {
        var opened = try opened(budget: evictor?.storeBudget(in: self), after: damage)
        do throws(CacheError) {
            try evictor?.begin(&opened, self)
            return opened
        } catch {
            opened.generation?.leave()
            opened.store.close()
            // A budget looks at more of the files than opening does.
            guard opened.rebuiltAfter == nil, isRepairable(error) else { throw error }
            return try self.opened(within: evictor, after: error)
        }
    }
}
