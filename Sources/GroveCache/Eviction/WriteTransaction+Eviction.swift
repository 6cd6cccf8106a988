import GroveModel

/// Keeping the account and the budget inside the transaction that writes.
extension WriteTransaction {
    /// How many records are looked at for one eviction, before the worst that was seen goes.
    private static var looks: Int { 128 }
    /// How many are looked at in search of one that may go at all.
    private static var mostLooks: Int { 1_024 }
    /// How many chunks of a list go at once.
    private static var chunksAtOnce: Int { 16 }

    /// The time as eviction knows it.
    var now: UInt64 { stored.clock.now &+ UInt64(evictor?.hitTime ?? 0) }

    /// Sees to it that the account is one of what is stored.
    mutating func prepareAccount() throws(CacheError) {
        if stored.account == nil { try recount() }
        guard let evictor else { return }
        evictor.begin(at: stored)
        if evictor.pins.isWrong { try markAgain(evictor) }
    }

    /// Counts everything that is stored.
    private mutating func recount() throws(CacheError) {
        var account = StoreState.Account()
        try unsafe transaction.scan(prefix: UnsafeRawBufferPointer(start: nil, count: 0)) { key, value in
            unsafe account.note(key, old: nil, new: value.count)
            return true
        }
        stored.account = account
        hasWritten = true
    }

    /// Notes that the value under `key` had `old` bytes and has `new`, `nil` for none.
    mutating func account(_ key: UnsafeRawBufferPointer, old: Int?, new: Int?) throws(CacheError) {
        unsafe stored.account?.note(key, old: old, new: new)
        if let new { stored.clock.advance(key.count + new) }
        guard let evictor, unsafe Namespace.isEvictable(key) else { return }
        let hash = unsafe Evictor.hash(key)
        guard let new else { return evictor.pins.note(hash, bytes: 0, number: .zero) }
        let weight = key.count + new
        guard weight <= evictor.capacity else { throw Evictor.overBudget(weight) }
        evictor.keep(hash, weight: weight, number: ownNumbers.upperBound, isNew: old == nil, now: now)
        guard old == nil, evictor.movesHand(entries: stored.account?.evictableEntries ?? 0) else { return }
        if let cursor = try unsafe (transaction as? any SweepableTransaction)?.sweepCursor(at: key) {
            evictor.moveHand(to: cursor)
        }
    }

    /// The size of the value under `key`; `nil` where there is none.
    func size(_ key: [UInt8]) throws(CacheError) -> Int? {
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in try unsafe transaction.get(key)?.count }
    }

    // MARK: Evicting

    /// How much more payload is stored than `limit`, or whether there are too many records.
    private func isOver(_ limit: Int) -> Bool {
        guard let account = stored.account else { return false }
        return account.payloadBytes + stored.growth > limit || evictor?.hasTooMany(account) == true
    }

    /// Evicts until what is stored fits, but for what the call or the transaction has written.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` where nothing more may go.
    mutating func removeVictims(downToAll limit: Int) throws(CacheError) -> EvictedNames {
        let evicted = try removeVictims(downTo: limit)
        guard let account = stored.account, isOver(limit) else { return evicted }
        throw CacheError(
            .overBudget,
            "With what the call writes and what is pinned \(account.payloadBytes) bytes would be stored, and \(limit) fit."
        )
    }

    /// Evicts until what is stored fits, as far as there is something that may go.
    ///
    /// - Parameters:
    ///   - limit: the payload that fits.
    ///   - most: how many records go at most.
    ///   - isSoft: whether a large record that was just written rather stays.
    /// - Returns: what went.
    mutating func removeVictims(
        downTo limit: Int, most: Int = .max, isSoft: Bool = false
    ) throws(CacheError) -> EvictedNames {
        sparesYoung = isSoft
        var evicted = EvictedNames()
        guard let evictor, isOver(limit), let sweep = transaction as? any SweepableTransaction else { return evicted }
        if evictor.pins.mustMark { try markAgain(evictor) }
        var count = 0
        while count < most, isOver(limit) {
            var victim = try expiredCandidate(evictor)
            if victim == nil { victim = try candidate(evictor, sweep) }
            guard let victim else {
                // What is not reachable from a pin any more may be all that is left to go; or else the oldest of what is.
                if evictor.pins.isExact {
                    guard evictor.releaseSomePins() else { break }
                } else {
                    try markAgain(evictor)
                }
                continue
            }
            count += 1
            try evict(victim, evictor, &evicted)
        }
        return evicted
    }

    /// One of the records that reads found too old, where it is so still.
    private func expiredCandidate(_ evictor: Evictor) throws(CacheError) -> EvictionCandidate? {
        while let expired = evictor.nextExpired() {
            let hash = unsafe expired.key.withUnsafeBytes { unsafe Evictor.hash($0) }
            guard !evictor.pins.isMarked(hash) else { continue }
            let limit = AgeLimit(oldest: expired.oldest, now: clock)
            let found = try unsafe expired.key.withUnsafeBytesTyped { (key) throws(CacheError) -> RecordGlance? in
                guard let value = try unsafe transaction.get(key), unsafe !isYoung(value, key, limit) else {
                    return nil
                }
                return unsafe RecordGlance(value)
            }
            guard let found, !isOwn(hash, found.sequence) else { continue }
            return EvictionCandidate(
                key: expired.key, hash: hash, written: stored.clock.time(of: found.sequence, last: stored.sequence),
                score: .infinity)
        }
        return nil
    }

    /// The record that goes next: the hands look at some, and take one that is among the worst of what was seen lately.
    ///
    /// What a follower shows goes if nothing else is found.
    private mutating func candidate(
        _ evictor: Evictor, _ sweep: any SweepableTransaction
    ) throws(CacheError) -> EvictionCandidate? {
        if let known = shown.takeKnown(now: now) { return known }
        // Of few records all are looked at.
        let isSmall = (stored.account?.evictableEntries ?? 0) <= WriteTransaction.looks
        var worst: EvictionCandidate?
        var (looks, sinceShown, passed) = (0, 0, 0)
        // While there are expired ones, others go only if none was found.
        let isSearching = evictor.budget.expiresAfter != nil && evictor.findsExpired
        let enough = isSearching ? WriteTransaction.mostLooks : WriteTransaction.looks
        // What must stay is passed over without a look, at most all of it.
        let most = WriteTransaction.mostLooks + (stored.account?.evictableEntries ?? 0)
        while looks < WriteTransaction.mostLooks, passed < most {
            var found: EvictionCandidate?
            if isSmall {
                worst = nil
                _ = try look(evictor, sweep, from: nil, limit: .max, &worst, takesFirst: false)
                guard worst != nil else { break }
            } else {
                let turn = evictor.nextTurn()
                let result = try look(evictor, sweep, from: turn.cursor, limit: turn.left, &worst, takesFirst: true)
                evictor.advance(to: result.cursor, over: result.count)
                looks += result.looks
                sinceShown += result.looks
                passed += max(result.count, 1)
                found = result.found
            }
            if found == nil, isSmall || sinceShown >= enough { found = worst }
            guard let candidate = found else { continue }
            guard try isShown(candidate.key) else {
                shown.foundOther()
                return candidate
            }
            // What a screen shows goes last.
            shown.add(candidate)
            (worst, sinceShown) = (nil, 0)
        }
        if let worst {
            guard try isShown(worst.key) else { return worst }
            shown.add(worst)
        }
        return shown.takeWorst(now: now)
    }

    /// Looks at up to `limit` records from `cursor` on.
    ///
    /// - Parameters:
    ///   - worst: the worst that was seen of those that may go.
    ///   - takesFirst: whether the first goes that is among the worst; otherwise all are looked at.
    private func look(
        _ evictor: Evictor, _ sweep: any SweepableTransaction, from cursor: SweepCursor?, limit: Int,
        _ worst: inout EvictionCandidate?, takesFirst: Bool
    ) throws(CacheError) -> (found: EvictionCandidate?, cursor: SweepCursor?, count: Int, looks: Int) {
        var found: EvictionCandidate?
        var (count, looks) = (0, 0)
        let (now, last) = (now, stored.sequence)
        let oldest = evictor.budget.expiresAfter.map { clock - $0 }
        let next = try unsafe sweep.sweep(from: cursor, limit: limit) { (key, value) throws(CacheError) -> Bool in
            count += 1
            guard unsafe Namespace.isEvictable(key) else { return true }
            let hash = unsafe Evictor.hash(key)
            guard !evictor.pins.isMarked(hash), !shown.contains(hash) else { return true }
            // What is damaged goes as if it were old.
            let glance = unsafe RecordGlance(value)
            guard !isOwn(hash, glance?.sequence ?? .zero) else { return true }
            looks += 1
            let written = glance.flatMap { stored.clock.time(of: $0.sequence, last: last) }
            var score = evictor.score(hash, written: written, now: now)
            var goes = evictor.goes(score)
            if let oldest, let glance {
                let isExpired =
                    unsafe glance.hasAge && !isYoung(value, key, AgeLimit(oldest: oldest, now: clock), isKnown: true)
                evictor.noteLook(foundExpired: isExpired)
                if isExpired { score = .infinity }
                goes = isExpired || goes && !evictor.findsExpired
            }
            let weight = key.count + value.count
            guard weight <= largestVictim else { return true }
            if let written, now &- min(written, now) < UInt64(weight) {
                // A large record stays until as much was written after it: the next small one is not to cost it.
                if sparesYoung { return true }
                score = Double(now &- min(written, now)) / Double(weight) - 1
                goes = false
            }
            if weight > evictor.capacity {
                // Whoever has a larger budget stored it.
                (score, goes) = (.infinity, true)
            }
            if takesFirst, goes {
                found = unsafe EvictionCandidate(
                    key: Array(key), hash: hash, written: written, score: score, weight: weight)
                return false
            }
            if score > worst?.score ?? -.infinity {
                worst = unsafe EvictionCandidate(
                    key: Array(key), hash: hash, written: written, score: score, weight: weight)
            }
            return true
        }
        return (found, next, count, looks)
    }

    /// Whether the call or the transaction has written the record, by the hash of its key and its number.
    private func isOwn(_ hash: UInt64, _ number: CallNumber) -> Bool {
        ownNumbers.contains(number) || !own.isEmpty && own.contains(hash)
    }

    /// Whether a follower shows what is under `key`.
    private func isShown(_ key: [UInt8]) throws(CacheError) -> Bool {
        guard let shows else { return false }
        switch key[0] {
        case Namespace.node: return shows(.model(.named(in: key)))
        case Namespace.collection: return shows(.list(.named(in: key)))
        case Namespace.chunk: return try list(ofChunk: key).map { shows(.list($0)) } ?? false
        default: return false
        }
    }

    private mutating func evict(
        _ victim: EvictionCandidate, _ evictor: Evictor, _ evicted: inout EvictedNames
    ) throws(CacheError) {
        switch victim.key[0] {
        case Namespace.node: evicted.nodes.append(.named(in: victim.key))
        case Namespace.collection: evicted.lists.insert(.named(in: victim.key))
        case Namespace.chunk: if let list = try list(ofChunk: victim.key) { evicted.lists.insert(list) }
        default: break
        }
        if victim.key[0] == Namespace.collection, try evictChunks(of: victim.key, evictor) { return }
        try evict(victim.key, victim.hash, written: victim.written, evictor)
    }

    /// The key of the list of which the chunk under `key` is a part.
    private func list(ofChunk key: [UInt8]) throws(CacheError) -> ModelIdentifier? {
        try unsafe CollectionHead.nameKey(ofChunk: key).withUnsafeBytesTyped { (key) throws(CacheError) in
            guard let stored = try unsafe transaction.get(key), let header = try? unsafe RecordHeader(stored, key: key)
            else { return nil }
            return unsafe ModelIdentifier(String(decoding: header.body, as: UTF8.self))
        }
    }

    /// Stores under which key the list is whose chunks `head` names.
    mutating func storeName(of list: [UInt8], _ head: CollectionHead, sequence: CallNumber) throws(CacheError) {
        let noName = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        try unsafe head.nameKey.withUnsafeBytesTyped { (key) throws(CacheError) in
            try unsafe store(key) { (out) throws(CacheError) in
                try unsafe Array(list.dropFirst()).withUnsafeBytesTyped { (name) throws(CacheError) in
                    try unsafe RecordBuilder.build(
                        into: &out, key: key, flags: [], sequence: sequence, time: 0, deletion: .none,
                        recordName: noName, projection: noName, body: name)
                }
            }
        }
    }

    private mutating func evict(
        _ key: [UInt8], _ hash: UInt64, written: UInt64?, _ evictor: Evictor
    ) throws(CacheError) {
        let before = stored.account?.payloadBytes ?? 0
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
            var update = unsafe RecordUpdate(key: key, change: .remove, sequence: stored.sequence, time: 0)
            _ = try perform(&update)
        }
        evictor.went(hash, written: written, bytes: before - (stored.account?.payloadBytes ?? 0), now: now)
    }

    /// Evicts some chunks of the list under `key`, without whose head nobody would find them; false where none are left.
    private mutating func evictChunks(of key: [UInt8], _ evictor: Evictor) throws(CacheError) -> Bool {
        guard let head = try head(key) else { return false }
        var count = 0
        for key in head.chunkKeys {
            guard count < WriteTransaction.chunksAtOnce else { break }
            guard try size(key) != nil else { continue }
            count += 1
            try evict(key, unsafe key.withUnsafeBytes { unsafe Evictor.hash($0) }, written: nil, evictor)
        }
        if count == 0 {
            try unsafe head.nameKey.withUnsafeBytesTyped { (key) throws(CacheError) in try unsafe discard(key) }
        }
        return count > 0
    }

    // MARK: Ages

    /// Whether `stored`, under `key`, is young enough for `limit`, or has no age.
    ///
    /// - Parameter isKnown: whether one of unknown age counts as young.
    private func isYoung(
        _ stored: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ limit: AgeLimit, isKnown: Bool = false
    ) -> Bool {
        guard let header = unsafe try? RecordHeader(stored, key: key), !header.flags.contains(.tombstone) else {
            return true
        }
        guard header.flags.contains(.projections) else {
            return limit.accepts(header.time) || isKnown && header.time == 0
        }
        let count = unsafe RecordBody.fieldCount(header.body)
        guard let table = try? ProjectionTable(header, fieldCount: count) else { return true }
        return table.rows.contains { limit.accepts($0.time) || isKnown && $0.time == 0 }
    }
}
