import GroveCoding
import GroveModel
import GrovePlatform

/// The directory of a store and the way in which it is opened, the first time and again.
struct StoreSource: Sendable {
    /// The directory; `nil` in memory.
    let directory: String?
    /// Whether the records outlive the store's object: a store whose records do not is never closed and opened again.
    let isPersistent: Bool
    /// Whether several processes may have the store open.
    let isShared: Bool
    /// The least budget in bytes.
    let leastBudget: Int
    /// The path whose identity tells if the store was replaced: the file that the backend names, or else the directory.
    ///
    /// If several processes may have the store open, it is the generation's file instead of the directory.
    private let mainFile: String?
    private let mainFileName: String
    /// The files that are beside the main file as long as a process has the store open.
    private let companions: [String]
    /// Whether the backend names the main file.
    private let isMainFileNamed: Bool

    private let backend: Backend
    private let policy: OpenPolicy
    /// The time for which another process's lock is waited for.
    private let patience: Duration

    /// The functions of the backend.
    private struct Backend: Sendable {
        let open: @Sendable (_ directory: String?, _ budget: Int?) throws(CacheError) -> any NodeStore
        /// Whether a file of that name is the engine's.
        let owns: @Sendable (_ name: String) -> Bool
        /// See ``SalvageableStore/hiddenDamage(in:isSuspect:)``.
        let hiddenDamage: @Sendable (_ directory: String, _ isSuspect: Bool) throws(CacheError) -> CacheError?
        /// The kept records that can be read of a damaged store.
        let keptRecords: @Sendable (_ directory: String) throws(CacheError) -> KeptRecords
    }

    init<Store: NodeStore>(
        _ store: Store.Type, directory: String?, options: Store.Options, policy: OpenPolicy
    ) {
        self.directory = directory
        self.policy = policy
        patience = (options as? any PatientOptions)?.lockTimeout ?? StoreGeneration.patience
        backend = Backend(
            open: { (directory, budget) throws(CacheError) in
                guard let budget, let type = Store.self as? any BudgetedStore.Type else {
                    return try Store(directory: directory, options: options)
                }
                return try StoreSource.open(type, directory, options, budget)
            },
            owns: { Store.owns(file: $0) },
            hiddenDamage: { (directory, isSuspect) throws(CacheError) in
                try (Store.self as? any SalvageableStore.Type)?.hiddenDamage(in: directory, isSuspect: isSuspect)
            },
            keptRecords: { (directory) throws(CacheError) in
                try unsafe KeptRecords(directory) { (visit) throws(CacheError) in
                    guard let type = Store.self as? any SalvageableStore.Type else { return }
                    try unsafe StoreSource.salvage(type, directory, options, visit)
                }
            })
        isPersistent = Store.profile.isPersistent && directory != nil
        isShared = isPersistent && Store.profile.isMultiProcess
        let name = Store.profile.mainFile ?? (isShared ? StoreGeneration.fileName : "")
        mainFileName = name
        companions = Store.profile.companions
        leastBudget = Store.profile.leastBudgetBytes
        isMainFileNamed = Store.profile.mainFile != nil
        mainFile = isPersistent ? directory.map { name.isEmpty ? $0 : $0 + "/" + name } : nil
    }

    /// Opens a store of `type`, whose options are `options`.
    private static func open<Store: BudgetedStore>(
        _ type: Store.Type, _ directory: String?, _ options: any Sendable, _ budget: Int
    ) throws(CacheError) -> any NodeStore {
        guard let options = options as? Store.Options else {
            throw CacheError(.other, "The options are another store's; this is a defect of Grove.")
        }
        return try Store(directory: directory, options: options, budget: budget)
    }

    /// Visits the kept records that can be read of a store of `type`, whose options are `options`.
    private static func salvage<Store: SalvageableStore>(
        _ type: Store.Type, _ directory: String, _ options: any Sendable,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Void
    ) throws(CacheError) {
        guard let options = options as? Store.Options else { return }
        try unsafe type.salvage(directory, prefix: [Namespace.kept], options: options, visit, unreadable: { _ in })
    }

    /// A store that was just opened.
    struct Opened: Sendable {
        let store: any NodeStore
        var state: StoreState
        /// The error for which the store was set aside and made again, if it was.
        var rebuiltAfter: CacheError?
        /// The generation of the files, which tells if another process replaced them; `nil` if no other process may
        /// have them open.
        var generation: StoreGeneration?
        var word = StoreGeneration.Word.none
        /// The value of ``StoreGeneration/commitCount`` before the store was opened.
        var commitCount = CommitCount.zero
        var file: FileIdentity?
    }

    /// Opens the store, or makes one.
    ///
    /// - Parameters:
    ///   - budget: the bytes that its files will have, if that is known.
    ///   - damage: the error of an opened store, if it ``isRepairable(_:)``: the store's files are set aside.
    /// - Throws: ``CacheError``, as the store does, and if the directory is not Grove's; with ``OpenPolicy/rebuild``
    ///   damage is set aside instead.
    func opened(budget: Int? = nil, after damage: CacheError? = nil) throws(CacheError) -> Opened {
        guard let directory, isPersistent else { return try openOnce(budget) }
        try StoreDirectory.make(directory)
        try StoreDirectory.claim(directory, mainFile: isMainFileNamed ? mainFileName : nil)
        guard isShared else {
            var opened = try openOrRebuild(directory, nil, budget, damage)
            opened.file = file
            return opened
        }
        return try StoreGeneration.exclusively(in: directory, within: patience) { (generation) throws(CacheError) in
            generation.enter(directory)
            try checkCompanions(generation)
            let commitCount = generation.commitCount
            let hidden = try hiddenDamage(directory, generation)
            generation.noteStart()
            var opened = try openOrRebuild(directory, generation, budget, damage ?? hidden)
            opened.generation = generation
            opened.word = generation.word
            opened.commitCount = commitCount
            opened.file = file
            return opened
        }
    }

    /// Checks that no file is gone from beside the main file while another process has the store open.
    ///
    /// The engine would make the file again, and neither process would see the writes of the other one.
    ///
    /// - Throws: ``CacheError`` with code `inputOutput`.
    private func checkCompanions(_ generation: StoreGeneration) throws(CacheError) {
        // In this order: a process that closes the store says so before the engine removes its files.
        guard file != nil, let lost = lostCompanion, generation.hasOthers else { return }
        throw CacheError(
            .inputOutput,
            "The file \(lost) was removed while another process has the store open; close it there, then open it here.")
    }

    /// The damage of which the engine would not tell.
    ///
    /// - Throws: ``CacheError`` with code `corrupted` if there is such damage and the store is not to be made again.
    private func hiddenDamage(_ directory: String, _ generation: StoreGeneration) throws(CacheError) -> CacheError? {
        let isSuspect = generation.isSuspect
        guard let damage = try backend.hiddenDamage(directory, isSuspect) else {
            if isSuspect { generation.forgetStarts() }
            return nil
        }
        guard isRepairable(damage) else { throw damage }
        return damage
    }

    /// The path of a file that is gone from beside the main file of an open store; `nil` if none is.
    var lostCompanion: String? {
        guard let directory, isPersistent else { return nil }
        return companions.map { directory + "/" + $0 }.first { FileIdentity($0) == nil }
    }

    /// Runs `body`, which replaces the files after it advanced the generation, while no other process opens them.
    ///
    /// - Returns: the word and the file as they are before another process can open or replace them; `nil` if no other
    ///   process may have the files open.
    func replacing(
        _ body: (StoreGeneration?) throws(CacheError) -> Void
    ) throws(CacheError) -> (word: StoreGeneration.Word, file: FileIdentity?)? {
        guard let directory, isShared else {
            try body(nil)
            return nil
        }
        return try StoreGeneration.exclusively(in: directory, within: patience) { (generation) throws(CacheError) in
            try body(generation)
            return (generation.word, file)
        }
    }

    /// Writes the records in `view` to a new store in `directory`; `check` ends it by throwing.
    func copy(
        _ view: any NodeView, to directory: String, _ check: @escaping () throws(CacheError) -> Void
    ) throws(CacheError) {
        try unsafe StoreCopy(in: directory).fill(
            { (visit) throws(CacheError) in
                try unsafe view.scan(prefix: UnsafeRawBufferPointer(start: nil, count: 0)) {
                    (key, value) throws(CacheError) in
                    try unsafe visit(key, value)
                    return true
                }
            },
            { (directory) throws(CacheError) in try backend.open(directory, nil) }, owns: backend.owns, check)
    }

    /// The identity of the main file now.
    var file: FileIdentity? { mainFile.flatMap { FileIdentity($0) } }

    /// Whether the main file is another one than `last`, or gone; if it cannot be looked at, it counts as unchanged.
    func isReplaced(since last: FileIdentity?) -> Bool {
        guard let mainFile else { return false }
        if let file = FileIdentity(mainFile) { return file != last }
        return last != nil && (errno == ENOENT || errno == ENOTDIR)
    }

    /// Opens the store, or makes it again with the kept records of the damaged one.
    private func openOrRebuild(
        _ directory: String, _ generation: StoreGeneration?, _ budget: Int?, _ damage: CacheError?
    ) throws(CacheError) -> Opened {
        var opened = try openOrSetAside(directory, generation, budget, damage)
        guard let kept = KeptRecords(savedIn: directory) else { return opened }
        do throws(CacheError) {
            try kept.put(into: opened.store, &opened.state)
        } catch {
            // The next opening puts the records there.
            opened.store.close()
            throw error
        }
        KeptRecords.removeSaved(in: directory)
        return opened
    }

    private func openOrSetAside(
        _ directory: String, _ generation: StoreGeneration?, _ budget: Int?, _ damage: CacheError?
    ) throws(CacheError) -> Opened {
        var failure = damage
        if failure == nil {
            do throws(CacheError) {
                return try openOnce(budget)
            } catch {
                guard isRepairable(error) else { throw error }
                failure = error
            }
        }
        _ = generation?.advance()
        try backend.keptRecords(directory).save(in: directory)
        try StoreDirectory.setAside(directory, where: backend.owns)
        var opened = try openOnce(budget)
        opened.rebuiltAfter = failure
        return opened
    }

    /// Whether `failure` says that the store is damaged, and the policy says to replace a damaged store.
    ///
    /// The directory is Grove's, so the file with the name of the store's is its store, however little of it is left.
    /// If there is no such file, `notAStore` says that the files are another backend's.
    func isRepairable(_ failure: CacheError) -> Bool {
        guard policy == .rebuild, isPersistent else { return false }
        return failure.code == .corrupted || failure.code == .notAStore && isMainFileNamed && file != nil
    }

    private func openOnce(_ budget: Int?) throws(CacheError) -> Opened {
        let store = try backend.open(directory, budget)
        do throws(CacheError) {
            return Opened(store: store, state: try store.storedState())
        } catch {
            // The next opening of the directory must not find it locked by a store that is no longer used.
            store.close()
            throw error
        }
    }
}

extension NodeStore {
    /// The state that is stored in the store's own record.
    func storedState() throws(CacheError) -> StoreState {
        let view = try view()
        defer { view.end() }
        return try StoreState(view)
    }

    /// Whether a view's bytes stay until it ends.
    var keepsBytes: Bool { View.keepsBytes }

    /// ``write(_:)`` for a caller that does not know the type of the transaction.
    func transact(_ body: (any NodeTransaction) throws(CacheError) -> Void) throws(CacheError) {
        try write { (transaction) throws(CacheError) in try body(transaction) }
    }
}
