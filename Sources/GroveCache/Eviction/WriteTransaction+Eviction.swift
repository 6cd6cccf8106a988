import GroveCoding
import GroveModel

/// The keeping of the account and the budget inside the transaction that writes.
extension WriteTransaction {
    /// The number of records that are looked at for one eviction, before the worst of them goes.
    private static var looks: Int { 128 }
    /// The number of records that are looked at in search of one that may go at all.
    private static var mostLooks: Int { 1_024 }
    /// The divisor of a capacity that gives the age below which a model counts as shown, once a shown one is known: a
    /// follower may not have been told yet.
    private static let young: UInt64 = 8
    /// The number of chunks of a list that go at once.
    private static var chunksAtOnce: Int { 16 }

    /// The time as eviction knows it.
    var now: UInt64 { stored.clock.now &+ UInt64(evictor?.hitTime ?? 0) }

    /// Makes sure that there is an account, and marks pins again if the marks may be wrong.
    mutating func prepareAccount() throws(CacheError) {
        if stored.account == nil { try recount() }
        guard let evictor else { return }
        evictor.begin(at: stored)
        if evictor.pins.doubts.isWrong { try markAgain(evictor) }
    }

    /// Counts everything that is stored.
    private mutating func recount() throws(CacheError) {
        var account = StoreState.Account()
        try unsafe transaction.scan(prefix: UnsafeRawBufferPointer(start: nil, count: 0)) { key, value in
            unsafe account.note(key, old: nil, new: value.count)
            return true
        }
        stored.account = account
        written.isSomething = true
    }

    /// Notes that the value under `key` had `old` bytes and has `new`; `nil` stands for no value.
    mutating func account(_ key: UnsafeRawBufferPointer, old: Int?, new: Int?) throws(CacheError) {
        unsafe stored.account?.note(key, old: old, new: new)
        if let new { stored.clock.advance(key.count + new) }
        guard let evictor, unsafe Namespace.isEvictable(key) else { return }
        let hash = unsafe Evictor.hash(key)
        guard let new else { return evictor.pins.note(hash, bytes: 0, number: .zero) }
        let weight = key.count + new
        guard weight <= evictor.capacity else { throw Evictor.overBudget(weight) }
        evictor.keep(hash, weight: weight, number: eviction.ownNumbers.upperBound, isNew: old == nil, now: now)
        if old == nil { try unsafe moveHand(to: key) }
    }

    /// Moves a hand, now and then, to a record that came.
    func moveHand(to key: UnsafeRawBufferPointer) throws(CacheError) {
        guard let evictor, unsafe Namespace.isEvictable(key), let sweep = transaction as? any SweepableTransaction
        else { return }
        try evictor.hands.move(entries: stored.account?.evictableEntries ?? 0) { () throws(CacheError) in
            try unsafe sweep.sweepCursor(at: key)
        }
    }

    // MARK: Evicting

    /// Whether more payload is stored than `limit`, or there are too many records.
    private func isOver(_ limit: Int) -> Bool {
        guard let account = stored.account else { return false }
        return account.payloadBytes + stored.growth > limit || evictor?.hasTooMany(account) == true
    }

    /// Evicts until the stored records fit, but none that the call or the transaction has written.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` if nothing more may go.
    mutating func removeVictims(downToAll limit: Int) throws(CacheError) -> EvictedNames {
        let evicted = try removeVictims(downTo: limit)
        guard let account = stored.account, isOver(limit) else { return evicted }
        throw CacheError(
            .overBudget,
            "With what the call writes and what is pinned \(account.payloadBytes) bytes would be stored, and \(limit) fit."
        )
    }

    /// Evicts until the stored records fit, as far as there are any that may go.
    ///
    /// - Parameters:
    ///   - limit: the payload that fits.
    ///   - most: the most records that go.
    ///   - isSoft: whether a large record that was just written stays rather than goes.
    ///   - largest: the most bytes of a record that goes.
    /// - Returns: the names of the records that went.
    mutating func removeVictims(
        downTo limit: Int, most: Int = .max, isSoft: Bool = false, largest: Int = .max
    ) throws(CacheError) -> EvictedNames {
        (eviction.sparesYoung, eviction.largest) = (isSoft, largest)
        var evicted = EvictedNames()
        guard let evictor, isOver(limit), let sweep = transaction as? any SweepableTransaction else { return evicted }
        if evictor.pins.mustMark { try markAgain(evictor) }
        var count = 0
        while count < most, isOver(limit) {
            if let victim = try candidate(evictor, sweep) {
                count += 1
                try evict(victim, evictor, &evicted)
            } else if eviction.isChoosy, !evictor.pins.isEmpty {
                // Young or large records go before pinned ones.
                (eviction.sparesYoung, eviction.largest) = (false, .max)
            } else if !evictor.pins.isExact {
                // Only records that are not reachable from a pin any more may be left to go; or else the oldest
                // reachable ones go.
                try markAgain(evictor)
            } else if !evictor.pins.releaseHalf() {
                break
            }
        }
        return evicted
    }

    /// The record that goes next; one that a follower shows goes only if no other is found.
    private mutating func candidate(
        _ evictor: Evictor, _ sweep: any SweepableTransaction
    ) throws(CacheError) -> EvictionCandidate? {
        if let known = eviction.shown.takeKnown(now: now) { return known }
        let entries = stored.account?.evictableEntries ?? 0
        // Records that must stay are passed over and do not count as looks; all of them may be.
        var left = (looks: WriteTransaction.mostLooks, records: WriteTransaction.mostLooks + entries)
        while let candidate = try search(evictor, sweep, entries, &left) {
            guard try isShown(candidate.key) else {
                eviction.shown.foundOther()
                return candidate
            }
            eviction.shown.add(candidate)
        }
        return eviction.shown.takeWorst(now: now)
    }

    /// A record that may go: the hands look at some, and take the first that is among the worst seen lately, or else
    /// the worst of them.
    ///
    /// Once one candidate is known that a follower shows, a look notes every other shown model too.
    private mutating func search(
        _ evictor: Evictor, _ sweep: any SweepableTransaction, _ entries: Int, _ left: inout (looks: Int, records: Int)
    ) throws(CacheError) -> EvictionCandidate? {
        var worst: EvictionCandidate?
        // Of few records all are looked at.
        guard entries > WriteTransaction.looks else {
            _ = try look(evictor, sweep, from: nil, limit: .max, &worst, takesFirst: false)
            return worst
        }
        // While there are expired records, others go only if no expired one was found.
        let enough = evictor.findsExpired ? 0 : max(left.looks - WriteTransaction.looks, 0)
        while left.looks > (worst == nil ? 0 : enough), left.records > 0 {
            let turn = evictor.hands.next()
            let result = try look(evictor, sweep, from: turn.cursor, limit: turn.limit, &worst, takesFirst: true)
            let isFirst = evictor.hands.advance(to: result.cursor, over: result.count)
            if result.isFound { break }
            if isFirst { left.looks -= result.looks }
            left.records -= max(result.count, 1)
        }
        // Before pins are released, all records are looked at: the hands may have passed by the few that may go.
        if worst == nil, !eviction.isChoosy, !evictor.pins.isEmpty {
            _ = try look(evictor, sweep, from: nil, limit: .max, &worst, takesFirst: false)
        }
        return worst
    }

    /// Looks at up to `limit` records from `cursor` on.
    ///
    /// - Parameters:
    ///   - worst: the worst record that was seen and may go; if `isFound` is true, the first that is among the worst.
    ///   - takesFirst: whether the look ends at the first record that is among the worst; otherwise all are looked at.
    private mutating func look(
        _ evictor: Evictor, _ sweep: any SweepableTransaction, from cursor: SweepCursor?, limit: Int,
        _ worst: inout EvictionCandidate?, takesFirst: Bool
    ) throws(CacheError) -> (isFound: Bool, cursor: SweepCursor?, count: Int, looks: Int) {
        var (isFound, count, looks) = (false, 0, 0)
        let now = now
        let ages = evictor.budget.expiresAfter.map { AgeLimit(maxAge: $0, now: eviction.clock) }
        let next = try unsafe sweep.sweep(from: cursor, limit: limit) { (key, value) throws(CacheError) -> Bool in
            count += 1
            guard unsafe Namespace.isEvictable(key) else { return true }
            let hash = unsafe Evictor.hash(key)
            // A damaged record goes as if it were old.
            let glance = unsafe RecordGlance(value)
            guard !eviction.mustStay(hash, glance?.sequence ?? .zero) else { return true }
            looks += 1
            let written = glance.flatMap { stored.clock.time(of: $0.sequence, last: stored.sequence) }
            var score = evictor.policy.score(hash, written: written, now: now)
            var goes = evictor.policy.goes(score)
            if let ages, let glance {
                let isExpired = unsafe glance.hasAge && !ages.acceptsAny(of: value, key)
                evictor.noteLook(foundExpired: isExpired)
                if isExpired { score = .infinity }
                goes = isExpired || goes && !evictor.findsExpired
            }
            let weight = key.count + value.count
            guard weight <= eviction.largest else { return true }
            if let written, now &- min(written, now) < UInt64(weight) {
                // A large record stays until as much was written after it: the next small one is not to cost it.
                if eviction.sparesYoung { return true }
                (score, goes) = (Double(now &- min(written, now)) / Double(weight) - 1, false)
            }
            // It was stored under a larger budget.
            if weight > evictor.capacity { (score, goes) = (.infinity, true) }
            // A record that is expired, or larger than the budget, is a candidate in any case.
            if !eviction.shown.isEmpty, score < .infinity, unsafe key[0] == Namespace.node {
                let candidate = unsafe EvictionCandidate(
                    key: Array(key), hash: hash, written: written, score: score, weight: weight)
                let isYoung =
                    now &- min(written ?? 0, now) < UInt64(evictor.policy.main.capacity) / WriteTransaction.young
                if isYoung || eviction.shows?(.model(.named(in: candidate.key))) == true {
                    eviction.shown.add(candidate)
                    return true
                }
            }
            isFound = takesFirst && goes
            if isFound || score > worst?.score ?? -.infinity {
                worst = unsafe EvictionCandidate(
                    key: Array(key), hash: hash, written: written, score: score, weight: weight)
            }
            return !isFound
        }
        return (isFound, next, count, looks)
    }

    /// Whether a follower shows the model or the list that `key` belongs to.
    private func isShown(_ key: [UInt8]) throws(CacheError) -> Bool {
        guard let shows = eviction.shows else { return false }
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
        case Namespace.collection:
            evicted.lists.insert(.named(in: victim.key))
            if try evictChunks(of: victim.key, evictor) { return }
        case Namespace.chunk: if let list = try list(ofChunk: victim.key) { evicted.lists.insert(list) }
        default: break
        }
        try evict(victim.key, victim.hash, written: victim.written, evictor)
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

    /// Evicts some chunks of the list under `key`; false if none are left.
    ///
    /// The caller keeps the list's head until then: without the head no transaction would find the chunks.
    private mutating func evictChunks(of key: [UInt8], _ evictor: Evictor) throws(CacheError) -> Bool {
        guard let head = try head(key) else { return false }
        var count = 0
        for key in head.chunkKeys where count < WriteTransaction.chunksAtOnce {
            let isThere = try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
                try unsafe transaction.get(key) != nil
            }
            guard isThere else { continue }
            count += 1
            try evict(key, unsafe key.withUnsafeBytes { unsafe Evictor.hash($0) }, written: nil, evictor)
        }
        if count == 0 {
            try unsafe head.nameKey.withUnsafeBytesTyped { (key) throws(CacheError) in try unsafe discard(key) }
        }
        return count > 0
    }
}
