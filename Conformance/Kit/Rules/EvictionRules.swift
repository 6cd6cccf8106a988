import GroveCache
import GroveModel

/// EVC: a budget that holds, and what it costs.
enum EvictionRules {
    static let all = [
        within, replacing, oversize, recount, reopened, whole, scan, largeTree, everythingCounts, peak, quietHits,
        announced, large, transactions, behindView, killedWithin, shared,
    ]

    /// Enough for every engine, and little enough to be filled in a moment.
    static let budget = 6 << 20

    /// What they all ask for.
    static let needs: Set<Capability> = [.evicting, .typedCalls, .storedBytes]

    // MARK: Help

    static func people(_ numbers: Range<Int>, nameCount: Int) -> [Person] {
        numbers.map { Person(id: "Person:\($0)", name: name(nameCount, $0)) }
    }

    /// A name of `count` letters, another for each `number`, that no engine makes smaller by packing it.
    static func name(_ count: Int, _ number: Int) -> String {
        var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: number))
        var letters: [UInt8] = []
        letters.reserveCapacity(count)
        while letters.count < count {
            var word = generator.next()
            for _ in 0..<min(10, count - letters.count) {
                letters.append(UInt8(ascii: "0") + UInt8(word & 0x3F))
                word >>= 6
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// What the cache counts.
    static func account(_ cache: any ConformanceCache) throws -> (Int, Int) {
        let usage = try cache.usage()
        guard let bytes = usage.payloadBytes, let entries = usage.entries else {
            throw CheckFailure("A cache with a budget: expected it to count, and it does not.")
        }
        return (bytes, entries)
    }

    /// What is in the store.
    static func stored(_ site: any CacheSite) throws -> (bytes: Int, entries: Int) {
        let view = try site.interceptor.store().view()
        defer { view.end() }
        let entries = try view.entries()
        return (entries.reduce(0) { $0 + $1.key.count + $1.value.count }, entries.count)
    }

    /// Bytes on disk; in memory those that the cache counts, which another rule compares with a recount.
    static func bytes(of cache: any ConformanceCache, _ site: any CacheSite) throws -> Int {
        guard let directory = site.directory else { return try account(cache).0 }
        return try TemporaryDirectory.bytesOnDisk(directory)
    }

    /// Writes, replaces, deletes and forgets something of everything.
    static func disturb(
        _ cache: any ConformanceCache, _ round: Int, using generator: inout SeededGenerator
    ) throws {
        let numbers = (0..<80).map { _ in Int.random(in: 0..<4_000, using: &generator) }
        _ = try cache.write(
            contentsOf: numbers.map { number in
                Person(
                    id: "Person:\(number)",
                    name: name(Int.random(in: 0..<6_000, using: &generator), number), age: round)
            })
        _ = try cache.writeCollection(
            numbers.prefix(20).map { Person(id: "Person:\($0)") }, forKey: "list-\(round % 7)")
        for number in numbers.prefix(10) { _ = try cache.delete(ModelIdentifier("Person:\(number)")) }
        for number in numbers.dropFirst(10).prefix(10) { try cache.evict(ModelIdentifier("Person:\(number)")) }
        cache.setModel(Person(id: "Person:\(numbers[0])"), forKey: "alias-\(round % 5)", context: nil)
        try cache.flush()
        for number in numbers { _ = try cache.read(ModelIdentifier("Person:\(number)"), as: Person.self) }
    }
}
