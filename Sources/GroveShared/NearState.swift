package import GroveCache
package import GroveModel
import Synchronization

/// The position that the local store has accounted for: the record that every commit of a ``NearCache`` reads and
/// writes.
package enum NearState {
    /// The name under which the position is kept.
    package static let name = "shared.applied"

    static func encoded(_ position: FeedPosition) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: position.number.rawValue >> (56 - 8 * UInt64($0))) }
            + Array(position.feed.description.utf8)
    }

    /// The position; `nil` if nothing is accounted for, or the record is damaged: then no local record may be read.
    package static func read(_ reader: borrowing some CacheReader & ~Copyable) throws(CacheError) -> FeedPosition? {
        do throws(CacheError) {
            return decoded(try reader.kept(name))
        } catch {
            guard error.code == .corrupted else { throw error }
            return nil
        }
    }

    private static func decoded(_ bytes: [UInt8]?) -> FeedPosition? {
        guard let bytes, bytes.count > 8 else { return nil }
        let number = bytes[..<8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return FeedPosition(
            feed: FeedIdentity(String(decoding: bytes[8...], as: UTF8.self)), number: FeedNumber(number))
    }
}

/// The part of the feed that a process remembers, beside the store.
struct FeedMemory {
    /// The most identifiers whose last change is remembered.
    static let most = 4_096

    /// The highest position that this process has seen: nothing older is served.
    private(set) var floor: FeedPosition?
    /// The time at which the last request was sent whose answer is accounted for, on the cache's clock.
    private(set) var heard: Duration?
    /// The last change of each identifier after ``knownFrom``, up to ``knownTo``.
    private var recent: [ModelIdentifier: FeedNumber] = [:]
    private var knownFrom = FeedNumber(0)
    private var knownTo = FeedNumber(0)

    /// Whether none of `identifiers` was changed after `start`, up to `end`; false if that is not known.
    func isUnchanged(_ identifiers: [ModelIdentifier], after start: FeedNumber, upTo end: FeedPosition) -> Bool {
        guard floor?.feed == end.feed, start >= knownFrom, knownTo == end.number else { return false }
        return identifiers.allSatisfy { recent[$0].map { $0 <= start } ?? true }
    }

    /// The position was seen.
    mutating func saw(_ position: FeedPosition) {
        if let floor, floor.feed == position.feed, floor.number >= position.number { return }
        if floor?.feed != position.feed {
            recent = [:]
            (knownFrom, knownTo) = (position.number, position.number)
        }
        floor = position
    }

    /// The changes after `start` up to `end` were accounted for.
    mutating func learned(_ changes: [ModelIdentifier: FeedNumber], after start: FeedNumber, upTo end: FeedPosition) {
        saw(end)
        guard floor?.feed == end.feed, end.number > knownTo else { return }
        guard start <= knownTo else {
            recent = changes
            (knownFrom, knownTo) = (start, end.number)
            return
        }
        recent.merge(changes) { max($0, $1) }
        knownTo = end.number
        guard recent.count > 2 * Self.most else { return }
        let numbers = recent.values.sorted()
        knownFrom = max(knownFrom, numbers[recent.count - Self.most - 1])
        recent = recent.filter { $0.value > knownFrom }
    }

    /// The answer to a request that was sent at `time` is accounted for.
    mutating func heard(at time: Duration) { heard = heard.map { max($0, time) } ?? time }

    /// The database was at `position` when it was asked at `time`, but the store could not be brought there.
    ///
    /// - Returns: false if the store is of another feed: it must begin again before anything is read.
    mutating func hear(unstored position: FeedPosition, at time: Duration) -> Bool {
        if let floor, floor.feed != position.feed { return false }
        saw(position)
        heard(at: time)
        return true
    }

    /// Another feed is in force: nothing that was remembered counts.
    mutating func begin(_ position: FeedPosition) {
        floor = position
        recent = [:]
        (knownFrom, knownTo) = (position.number, position.number)
    }
}
