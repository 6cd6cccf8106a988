import Foundation
import Synchronization

/// A list that is shown, and that somebody else edits.
@MainActor
protocol ListScreen {
    /// Begins to show the list, and tells of each change that is shown: with the text of its first row.
    func show(_ told: @escaping @MainActor (String) -> Void) async throws
    /// How many rows are shown.
    var count: Int { get }
    /// Makes edit `number` by another writer: a new first row of that text, and every other time the last row goes.
    nonisolated func edit(_ number: Int) throws
}

/// Sixty edits a second, and what the main actor and the user notice of them.
@MainActor
struct ListRun {
    let seconds: Double

    func run(_ screen: some ListScreen & Sendable) async throws {
        let memory = Memory.resident
        let begun = Mutex<[String: ContinuousClock.Instant]>([:])
        var shown: [Double] = []
        try await screen.show { first in
            let now = ContinuousClock.now
            // What came before it is shown with it.
            guard let start = begun.withLock({ $0.removeValue(forKey: first) }) else { return }
            shown.append((now - start) / .milliseconds(1))
        }
        print("rows", screen.count)
        let pulse = Pulse()
        let writer = Task.detached {
            var writes: [Double] = []
            let start = ContinuousClock.now
            for number in 0..<Int(seconds * 60) {
                try await Task.sleep(until: start + .seconds(Double(number) / 60), clock: .continuous)
                let now = ContinuousClock.now
                begun.withLock { $0["edit \(number)"] = now }
                try screen.edit(number)
                writes.append((ContinuousClock.now - now) / .milliseconds(1))
            }
            return writes
        }
        let writes = try await writer.value
        try await Task.sleep(for: .seconds(1))
        let gaps = await pulse.stop()
        print("edit.p50ms", writes.quantile(0.5))
        print("edit.p99ms", writes.quantile(0.99))
        print("shown.count", shown.count)
        print("shown.p50ms", shown.quantile(0.5))
        print("shown.p99ms", shown.quantile(0.99))
        print("main.block.p99ms", gaps.quantile(0.99))
        print("main.block.worst.ms", gaps.quantile(1))
        print("memory.MB", Double(Memory.resident - memory) / 1_048_576)
        print("rows.end", screen.count)
    }
}

/// How long the main actor keeps somebody waiting: a thread asks for it every millisecond.
final class Pulse: Sendable {
    private let state = Mutex<(gaps: [Double], isOver: Bool)>(([], false))

    init() {
        Thread.detachNewThread { [self] in
            while !state.withLock(\.isOver) {
                let asked = ContinuousClock.now
                let answered = DispatchSemaphore(value: 0)
                DispatchQueue.main.async {
                    let gap = (ContinuousClock.now - asked) / .milliseconds(1)
                    self.state.withLock { $0.gaps.append(gap) }
                    answered.signal()
                }
                answered.wait()
                usleep(1_000)
            }
        }
    }

    /// The waits in milliseconds.
    func stop() async -> [Double] {
        state.withLock { state in
            state.isOver = true
            return state.gaps
        }
    }
}

enum Memory {
    /// Bytes of the process in memory, as Linux says it.
    static var resident: Int {
        let lines = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix("VmRSS:") } ?? ""
        return (line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
    }
}

extension [Double] {
    func quantile(_ quantile: Double) -> Double {
        isEmpty ? 0 : sorted()[Swift.min(count - 1, Int(Double(count) * quantile))]
    }
}
