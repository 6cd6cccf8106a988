import Foundation
import GroveCache
import GroveModel
import Synchronization
import TestSupport
import Testing

/// Caches within a budget that come and go while records expire, are evicted, deleted and written again.
extension CacheLife {
    /// The promises that `Store` makes of them, as its profile says.
    static var programChecks: [Check] {
        guard Store.profile.isPersistent, Store.profile.isEvicting else { return [] }
        return [
            Check("Within a budget a read gives what was written last or nothing, whatever comes and goes") {
                try $0.budgetedProgram(seed: 1)
                try $0.budgetedProgram(seed: 2)
            }
        ]
    }

    private func budgetedProgram(seed: UInt64) throws {
        let place = path + " \(seed)"
        let seconds = Mutex(1_000_000.0)
        func open() throws -> Cache {
            try Cache(
                directory: place, options: options, budget: CacheBudget(bytes: 6 << 20, expiresAfter: 60),
                now: { Date(timeIntervalSince1970: seconds.withLock { $0 }) })
        }
        var random = SeededGenerator(seed: seed)
        // Nothing is there before it was written, nor after it was evicted or deleted.
        var expected: [Int: String] = [:]
        var (found, forgotten) = (0, 0)
        var cache = try open()
        for step in 0..<400 {
            let number = Int.random(in: 0..<400, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                try cache.suspend()
                try cache.resume()
            case 1:
                cache.close()
                cache = try open()
            case 2: seconds.withLock { $0 += 40 }
            case 3:
                try cache.evict("Note:\(number)")
                expected[number] = nil
            case 4:
                try cache.delete("Note:\(number)")
                expected[number] = nil
            case 5 where step % 5 == 0:
                try cache.wipe()
                expected = [:]
            default:
                var notes: [Note] = []
                for offset in 0..<Int.random(in: 1...12, using: &random) {
                    let count = Int.random(in: 0...60_000, using: &random)
                    // Half of what is written again is what it was.
                    let old = Bool.random(using: &random) ? expected[number + offset] : nil
                    let note = Note(number + offset, old ?? "\(step) " + String(repeating: "n", count: count))
                    notes.append(note)
                    expected[note.id] = note.text
                }
                try cache.write(contentsOf: notes)
                let last = try cache.model(ModelIdentifier("Note:\(notes[0].id)"), as: Note.self)
                #expect(last?.text == nil || last?.text == notes[0].text, "\(step)")
            }
            for _ in 0..<10 {
                let number = Int.random(in: 0..<400, using: &random)
                let note = try cache.model(ModelIdentifier("Note:\(number)"), as: Note.self)
                guard let text = note?.text else {
                    forgotten += expected[number] == nil ? 0 : 1
                    continue
                }
                found += 1
                try #require(text == expected[number], "\(step): \(number)")
            }
        }
        // Most is there, and some had to go.
        #expect(found > 200 && forgotten > 10)
        cache.close()
    }
}
