package import GroveMemory
package import GroveShared
import Synchronization

/// Workers that read and write at once, and what each saw, checked: linearizable for each key if fresh, never back if near.
///
/// A key's values are numbers that only grow. A fresh read must not return less than the greatest whose commit had returned
/// when the read began, nor more than the greatest that was sent when it ended. A process's reads of a key never fall.
package final class SharedHistory: Sendable {
    private struct Key {
        var sent = 0
        var committed = 0
    }

    private let keys = Mutex<[String: Key]>([:])
    private let lies = Mutex<[String]>([])
    private let counts = Mutex<(reads: Int, failures: Int, writes: Int)>((0, 0, 0))

    package init() {}

    /// What was wrong; empty if nothing was.
    package var found: [String] { lies.withLock { $0 } }
    /// How many reads and writes succeeded, and how many calls failed with a typed error.
    package var totals: (reads: Int, failures: Int, writes: Int) { counts.withLock { $0 } }

    /// One worker: `steps` calls of `near`, one in four of them a write to one of its own keys.
    package func work(_ worker: Int, _ near: NearCache<MemoryStore>, steps: Int) async {
        var random = SystemRandomNumberGenerator()
        var seen: [String: Int] = [:]
        for _ in 0..<steps {
            if Int.random(in: 0..<4, using: &random) == 0 {
                await write("w\(worker)", near)
                continue
            }
            let name = "w\(Int.random(in: 0..<8, using: &random))"
            let isFresh = Bool.random(using: &random)
            let least = keys.withLock { $0[name]?.committed ?? 0 }
            do throws(SharedError) {
                let note = try await near.model("Note:\(name)", as: Note.self, isFresh ? .fresh : .near)
                let value = note.flatMap { Int($0.text) } ?? 0
                let most = keys.withLock { $0[name]?.sent ?? 0 }
                counts.withLock { $0.reads += 1 }
                if isFresh, value < least {
                    tell("worker \(worker) read \(name) fresh: \(value), and \(least) was committed")
                }
                if value > most { tell("worker \(worker) read \(name): \(value), and only \(most) was sent") }
                if let before = seen[name], value < before {
                    tell("worker \(worker) read \(name): \(value) after \(before)")
                }
                seen[name] = value
            } catch {
                counts.withLock { $0.failures += 1 }
            }
        }
    }

    private func write(_ name: String, _ near: NearCache<MemoryStore>) async {
        let value = keys.withLock { keys in
            keys[name, default: Key()].sent += 1
            return keys[name]?.sent ?? 0
        }
        do throws(SharedError) {
            _ = try await near.write([.put(Note(name, "\(value)"))])
            keys.withLock { $0[name, default: Key()].committed = value }
            counts.withLock { $0.writes += 1 }
        } catch {
            counts.withLock { $0.failures += 1 }
        }
    }

    private func tell(_ lie: String) { lies.withLock { $0.append(lie) } }
}
