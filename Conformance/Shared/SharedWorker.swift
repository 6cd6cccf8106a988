package import GroveCache
import GroveModel
package import GroveShared

/// One worker of a ``SharedHistory``: it reads and writes, and tells what it did.
package struct SharedWorker<Store: NodeStore>: Sendable {
    /// How many keys there are: a tree for each, whose halves its writer writes.
    package static var keys: Int { 8 }

    private let near: NearCache<Store>
    private let key: Int
    private let now: @Sendable () -> UInt64
    private let tell: @Sendable (SharedHistory.Event) -> Void
    private var value: Int

    /// Makes the writer of `key`.
    ///
    /// - Parameters:
    ///   - last: the last value that was sent by the worker before.
    ///   - now: nanoseconds of a clock that all workers have.
    package init(
        _ near: NearCache<Store>, key: Int, after last: Int = 0, now: @escaping @Sendable () -> UInt64,
        tell: @escaping @Sendable (SharedHistory.Event) -> Void
    ) {
        (self.near, self.key, value, self.now, self.tell) = (near, key, last, now, tell)
    }

    /// The trees, as they are before the first write.
    package static var beginning: [FarChange] {
        (0..<keys).flatMap { key in
            let pair = pair(key, 0)
            return [.put(pair.left), .put(pair.right), .put(pair)] as [FarChange]
        }
    }

    private static func pair(_ key: Int, _ value: Int) -> Pair {
        Pair("w\(key)", Note("w\(key)-left", "\(value)"), Note("w\(key)-right", "\(value)"))
    }

    /// One call: in one of four cases a write.
    package mutating func step() async {
        if Int.random(in: 0..<4) == 0 {
            await write()
        } else {
            await read(Int.random(in: 0..<Self.keys), Bool.random() ? .fresh : .near)
        }
    }

    private func read(_ key: Int, _ freshness: Freshness) async {
        let from = now()
        do throws(SharedError) {
            let pair = try await near.model(ModelIdentifier("Pair:w\(key)"), as: Pair.self, freshness)
            let halves = [pair?.left, pair?.right].map { $0.flatMap { Int($0.text) } ?? -1 }
            tell(.read(key: key, halves: halves, isFresh: freshness != .near, from: from, to: now()))
        } catch {
            tell(.failed)
        }
    }

    private mutating func write() async {
        value += 1
        let pair = Self.pair(key, value)
        tell(.sent(key: key, value: value, at: now()))
        do throws(SharedError) {
            let number = try await near.write([.put(pair.left), .put(pair.right)])
            tell(.written(key: key, value: value, at: now(), isCommitted: true))
            // Of its own writes it reads no less.
            await read(key, .atLeast(number))
        } catch {
            tell(.written(key: key, value: value, at: now(), isCommitted: await isCommitted(error)))
        }
    }

    /// What became of a write that failed; `nil` if that is not known.
    private func isCommitted(_ error: SharedError) async -> Bool? {
        guard error.code == .outcomeUnknown else { return false }
        guard let ticket = error.ticket, let outcome = try? await near.far.outcome(of: ticket) else { return nil }
        if case .committed = outcome { return true }
        return false
    }
}
