import GroveModel

/// Keeping the account and the budget inside the transaction that writes.
extension WriteTransaction {
    /// Sees to it that the index agrees with the store as this transaction finds it.
    mutating func prepareIndex() throws(CacheError) {
        guard let index else {
            // Whoever has a budget next must count anew.
            stored.account = nil
            return
        }
        guard stored.account != nil else { return try adopt(index) }
        if !index.isLoaded { return try load(index) }
        // A commit of somebody else's may leave the account as it was.
        if stored.account != index.account || stored.sequence != index.sequence {
            index.pins.distrust()
            try catchUp(index)
        }
    }

    /// Counts a store that no budget was kept for, and lists what it holds.
    private mutating func adopt(_ index: EvictionIndex) throws(CacheError) {
        var account = StoreState.Account()
        var keys: [JournalEntry] = []
        var stale: [(key: [UInt8], count: Int)] = []
        // Others that knew an older journal read on from the segment where it ended for them.
        var open: UInt32 = 0
        try unsafe transaction.scan(prefix: UnsafeRawBufferPointer(start: nil, count: 0)) {
            (key, value) throws(CacheError) in
            account.payloadBytes += key.count + value.count
            account.entries += 1
            if unsafe EvictionIndex.isEvictable(key) {
                unsafe keys.append(JournalEntry(key: Array(key), segment: 0))
            } else if let number = unsafe EvictionJournal.number(key) {
                // A damaged key may say any number.
                open = max(open, min(number, 1 << 30) + 1)
                unsafe stale.append((Array(key), value.count))
            }
            return true
        }
        // This transaction writes the state in its new form, which is counted here.
        let had = try size(StoreState.key).map { StoreState.key.count + $0 }
        stored.account = account
        account.payloadBytes += stored.storedBytes - (had ?? 0)
        account.entries += had == nil ? 1 : 0
        stored.account = account
        for segment in stale { try remove(segment.key, valueCount: segment.count) }
        index.reload(open: open, openBytes: [])
        try markAgain(index)
        for entry in keys {
            let hash = unsafe entry.key.withUnsafeBytes { unsafe EvictionIndex.hash($0) }
            guard let size = try size(entry.key) else { continue }
            try unsafe entry.key.withUnsafeBytesTyped { (key) throws(CacheError) in
                unsafe index.enter(key, hash, index.weight(key, valueCount: size))
                // One that is heavier than the whole budget stays in nobody's list and goes now.
                do throws(CacheError) {
                    try unsafe index.keep(key, valueCount: size, isNew: false)
                } catch {
                    try unsafe forgetRecord(key)
                }
            }
            if index.journal.isOpenFull { try closeSegment(index) }
        }
        hasWritten = true
        index.finishLoading()
    }

    /// Reads the journal from its beginning.
    private mutating func load(_ index: EvictionIndex) throws(CacheError) {
        let open = stored.account?.openSegment ?? 0
        index.reload(open: open, openBytes: try segment(open) ?? [])
        try markAgain(index)
        var entries: [JournalEntry] = []
        var numbers: [(number: UInt32, count: Int)] = []
        try unsafe [Namespace.journal].withUnsafeBytesTyped { (prefix) throws(CacheError) in
            try unsafe transaction.scan(prefix: prefix) { (key, value) throws(CacheError) in
                guard let number = unsafe EvictionJournal.number(key) else { return true }
                numbers.append((number, value.count))
                index.journal.bytes += key.count + value.count
                unsafe EvictionJournal.forEach(in: value) { entry in
                    unsafe entries.append(JournalEntry(key: Array(entry.key), segment: number))
                    return true
                }
                return true
            }
        }
        try index.absorb(entries) { (key) throws(CacheError) in try size(key) }
        for (number, count) in numbers where number != open && index.journal.live[number] == nil {
            try dropSegment(number, valueCount: count, index)
        }
        index.finishLoading()
    }

    /// Reads what other processes have added to the journal.
    private mutating func catchUp(_ index: EvictionIndex) throws(CacheError) {
        let open = stored.account?.openSegment ?? 0
        var number = index.journal.open
        // Numbers that went back, or far ahead, are those of another journal.
        guard number <= open, open - number < 4_096 else { return try load(index) }
        var entries: [JournalEntry] = []
        while number <= open {
            if let bytes = try segment(number) {
                unsafe bytes.withUnsafeBytes { bytes in
                    unsafe EvictionJournal.forEach(in: bytes) { entry in
                        unsafe entries.append(JournalEntry(key: Array(entry.key), segment: number))
                        return true
                    }
                }
            }
            number += 1
        }
        index.journal.resume(open: open, openBytes: try segment(open) ?? [])
        try index.absorb(entries) { (key) throws(CacheError) in try size(key) }
    }

    func segment(_ number: UInt32) throws(CacheError) -> [UInt8]? {
        try unsafe EvictionJournal.key(number).withUnsafeBytesTyped { (key) throws(CacheError) in
            try unsafe transaction.get(key).map { unsafe Array($0) }
        }
    }

    func size(_ key: [UInt8]) throws(CacheError) -> Int? {
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in try unsafe transaction.get(key)?.count }
    }

    // MARK: The account

    /// Notes that the value under `key` had `old` bytes and has `new`, `nil` for none.
    mutating func account(_ key: UnsafeRawBufferPointer, old: Int?, new: Int?) throws(CacheError) {
        guard index != nil else { return }
        count(keyCount: key.count, old: old, new: new)
        guard unsafe EvictionIndex.isEvictable(key) else { return }
        if staged != nil { return unsafe staged?.note(key, old: old, new: new) ?? () }
        try unsafe list(key, old: old, new: new)
    }

    /// Tells the index that the value under `key` had `old` bytes and has `new`, `nil` for none.
    mutating func list(_ key: UnsafeRawBufferPointer, old: Int?, new: Int?) throws(CacheError) {
        guard let index else { return }
        if let new {
            index.counters.writtenBytes += key.count + new
            try unsafe index.keep(key, valueCount: new, isNew: old == nil)
            if index.journal.isOpenFull { try closeSegment(index) }
        } else if let dead = unsafe index.forget(EvictionIndex.hash(key), keyCount: key.count) {
            deadSegments.append(dead)
        }
    }

    mutating func count(keyCount: Int, old: Int?, new: Int?) {
        if let old {
            stored.account?.payloadBytes -= keyCount + old
            stored.account?.entries -= 1
        }
        if let new {
            stored.account?.payloadBytes += keyCount + new
            stored.account?.entries += 1
        }
    }

    private mutating func put(_ key: [UInt8], _ value: [UInt8]) throws(CacheError) {
        let old = try size(key)
        count(keyCount: key.count, old: old, new: value.count)
        index?.journal.bytes += value.count - (old ?? -key.count)
        hasWritten = true
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
            try unsafe value.withUnsafeBytesTyped { (value) throws(CacheError) in
                try unsafe transaction.put(key, value)
            }
        }
    }

    private mutating func remove(_ key: [UInt8], valueCount: Int) throws(CacheError) {
        count(keyCount: key.count, old: valueCount, new: nil)
        hasWritten = true
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in try unsafe transaction.remove(key) }
    }

    // MARK: The journal

    private mutating func closeSegment(_ index: EvictionIndex) throws(CacheError) {
        try put(EvictionJournal.key(index.journal.open), index.journal.openBytes)
        index.journal.beginNext()
    }

    private mutating func dropSegment(
        _ number: UInt32, valueCount: Int, _ index: EvictionIndex
    ) throws(CacheError) {
        let key = EvictionJournal.key(number)
        try remove(key, valueCount: valueCount)
        index.journal.bytes -= key.count + valueCount
        index.journal.drop(number)
    }

    /// Writes what the transaction has added to the journal, and removes of it what is dead.
    mutating func finishJournal() throws(CacheError) {
        guard let index else { return }
        for number in deadSegments where index.journal.live[number] == 0 {
            if let bytes = try segment(number) { try dropSegment(number, valueCount: bytes.count, index) }
        }
        deadSegments = []
        for _ in 0..<4 {
            guard let number = index.journal.segmentToRewrite() else { break }
            try rewrite(number, index)
        }
        if index.journal.isOpenDirty { try put(EvictionJournal.key(index.journal.open), index.journal.openBytes) }
        index.journal.isOpenDirty = false
        stored.account?.openSegment = index.journal.open
    }

    /// Lists the live keys of segment `number` at the end of the journal and removes it.
    private mutating func rewrite(_ number: UInt32, _ index: EvictionIndex) throws(CacheError) {
        guard let bytes = try segment(number) else { return index.journal.drop(number) }
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe EvictionJournal.forEach(in: bytes) { entry in
                let hash = unsafe EvictionIndex.hash(entry.key)
                if index.segment(of: hash) == number {
                    unsafe index.relist(entry.key, hash, entry.weight, from: number)
                }
                return true
            }
        }
        if index.journal.isOpenFull { try closeSegment(index) }
        try dropSegment(number, valueCount: bytes.count, index)
    }

    // MARK: Evicting

    /// Removes what the policy has given up, and more until what is stored fits.
    ///
    /// - Parameters:
    ///   - limit: the payload that fits.
    ///   - most: how many records go at most.
    ///   - call: what it wrote goes last, or the caller would not find what it has just stored.
    /// - Returns: the nodes that went.
    mutating func removeVictims(
        downTo limit: Int, most: Int = .max, sparing call: PendingWrite? = nil
    ) throws(CacheError) -> [ModelIdentifier] {
        guard let index else { return [] }
        var evicted: [ModelIdentifier] = []
        var count = 0
        while count < most {
            count += 1
            let payload = (stored.account?.payloadBytes ?? 0) + index.journal.pendingBytes
            let isOver = index.hasTooMany || payload > limit
            if index.pins.mustMark, isOver || index.hasVictims { try markAgain(index) }
            if isOver, expiry != nil {
                expiry?.looks += 2
                if let gone = try removeExpired(index) {
                    evicted += gone
                    continue
                }
            }
            guard let victim = isOver ? index.takeVictim() : index.nextVictim() else {
                // What is not reachable from a pin any more may be all that is left to go.
                guard isOver, !index.pins.isExact else { break }
                try markAgain(index)
                continue
            }
            if let identifier = try remove(victim, index, sparing: call) { evicted.append(identifier) }
        }
        return evicted
    }

    private mutating func remove(
        _ victim: EvictedEntry, _ index: EvictionIndex, sparing call: PendingWrite?
    ) throws(CacheError) -> ModelIdentifier? {
        guard let number = index.segment(of: victim.key), let key = try key(victim.key, in: number, index) else {
            _ = index.unlist(victim.key, keyCount: 0)
            return nil
        }
        if let call, call.names(key) || chunksPut.contains(victim.key), spared.insert(victim.key).inserted {
            index.giveBack(victim.key, weight: victim.weight)
            return nil
        }
        if protected.contains(victim.key) {
            protectedVictims += 1
            // The policy has nothing else to give.
            guard protectedVictims <= 4 * protected.count else { throw EvictionIndex.overBudget(victim.weight) }
            index.giveBack(victim.key, weight: victim.weight)
            return nil
        }
        index.counters.evictions += 1
        index.counters.evictedBytes += victim.weight
        return try unsafe key.withUnsafeBytesTyped { (bytes) throws(CacheError) in
            try unsafe forgetRecord(bytes)
            if let dead = index.forget(victim.key, keyCount: bytes.count) { deadSegments.append(dead) }
            guard unsafe bytes[0] == Namespace.node else { return nil }
            return unsafe ModelIdentifier(
                String(decoding: UnsafeRawBufferPointer(rebasing: bytes[1...]), as: UTF8.self))
        }
    }

    mutating func forgetRecord(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        if unsafe key[0] == Namespace.collection { try unsafe giveUpChunks(of: Array(key)) }
        var update = unsafe RecordUpdate(key: key, change: .remove, sequence: stored.sequence, time: 0)
        _ = try perform(&update)
    }

    /// The key in segment `number` whose hash is `hash`.
    func key(_ hash: UInt64, in number: UInt32, _ index: EvictionIndex) throws(CacheError) -> [UInt8]? {
        let bytes = number == index.journal.open ? index.journal.openBytes : try segment(number) ?? []
        var found: [UInt8]?
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe EvictionJournal.forEach(in: bytes) { entry in
                guard unsafe EvictionIndex.hash(entry.key) == hash else { return true }
                found = unsafe Array(entry.key)
                return false
            }
        }
        return found
    }
}
