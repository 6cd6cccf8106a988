import GroveCache
import GroveModel
import TestSupport
import Testing

/// Random programs beside a dictionary.
extension StoreContract {
    static var programChecks: [Check] {
        (0..<8).map { seed in
            Check("A random program agrees with a dictionary, and old views keep showing their state, seed \(seed)") {
                try $0.program(seed: seed)
            }
        }
    }

    /// For the stores that count the bytes of keys and values rather than estimate them.
    package static var exactSizes: Check {
        Check("The size is that of the keys and values, after every transaction") {
            try $0.program(seed: 8, sizesAreExact: true)
        }
    }

    private func program(seed: UInt64, sizesAreExact: Bool = false) throws {
        var random = SeededGenerator(seed: seed)
        var store = try open()
        var model: [[UInt8]: [UInt8]] = [:]
        var views: [(view: Store.View, content: [[UInt8]: [UInt8]])] = []
        for _ in 0..<120 {
            let commits = Int.random(in: 0..<4, using: &random) > 0
            var next = model
            let thrown = code {
                try store.write { transaction throws(CacheError) in
                    try Self.change(transaction, &next, &random)
                    if !commits { throw CacheError(.cancelled, "by the test") }
                }
            }
            #expect(thrown == (commits ? nil : .cancelled))
            if commits { model = next }
            if Bool.random(using: &random) { views.append((try store.view(), model)) }
            if views.count > 5 {
                let (view, content) = views.remove(at: Int.random(in: 0..<views.count, using: &random))
                for (key, value) in content { #expect(try view.get(key) == value) }
                try Self.end(view, showing: content)
            }
            let size = try store.size()
            #expect(size.entries == model.count)
            if sizesAreExact {
                #expect(size.payloadBytes == model.reduce(0) { $0 + $1.key.count + $1.value.count })
            }
            guard Int.random(in: 0..<25, using: &random) == 0 else { continue }
            for (view, content) in views { try Self.end(view, showing: content) }
            views = []
            if Bool.random(using: &random) {
                try store.wipe()
                model = [:]
            } else if Store.profile.isPersistent {
                store.close()
                store = try open()
            }
        }
        for (view, content) in views { try Self.end(view, showing: content) }
    }

    /// Does up to 60 things in `transaction`, and to `model` alike.
    private static func change(
        _ transaction: Store.Transaction, _ model: inout [[UInt8]: [UInt8]], _ random: inout SeededGenerator
    ) throws(CacheError) {
        for _ in 0..<Int.random(in: 0..<60, using: &random) {
            let key = random.key()
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                try transaction.remove(key)
                model[key] = nil
            case 1:
                #expect(try transaction.get(key) == model[key])
            default:
                let value = random.value()
                try transaction.put(key, value)
                model[key] = value
            }
        }
        #expect(try transaction.dictionary() == model)
        let keys = try transaction.keys([0x61])
        #expect(keys == model.keys.filter { $0.first == 0x61 }.sorted { $0.lexicographicallyPrecedes($1) })
    }

    private static func end(_ view: Store.View, showing content: [[UInt8]: [UInt8]]) throws {
        #expect(try view.dictionary() == content)
        view.end()
    }
}
