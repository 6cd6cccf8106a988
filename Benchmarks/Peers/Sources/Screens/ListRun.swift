import Dispatch
import Foundation
import Synchronization

/// A list that is shown, and that another writer edits.
@MainActor
protocol ListScreen {
    /// Begins to show the list, and tells of each change that is shown: with the text of its first row.
    func show(_ told: @escaping @MainActor (String) -> Void) async throws
    /// How many rows are shown.
    var count: Int { get }
    /// Makes edit `number` by another writer: a new first row of `text`, and every other time the last row goes.
    nonisolated func edit(_ number: Int, _ text: String) throws
    /// Appends a row by the screen itself.
    func append(_ number: Int)
}

extension ListScreen {
    func append(_ number: Int) {}
}

/// Sixty edits a second, and what the main actor and the user notice of them.
@MainActor
struct ListRun {
    let seconds: Double
    /// Whether the screen appends ten rows a second.
    var appends = false
    /// Runs the edits; this process makes them by default.
    var edits: (@Sendable (Int) async throws -> Void)?

    func run(_ screen: some ListScreen & Sendable) async throws {
        let memory = Memory.resident
        var shown: [Double] = []
        var last = ""
        try await screen.show { first in
            // What came before it is shown with it.
            guard first != last, let start = EditText.time(of: first) else { return }
            last = first
            shown.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
        }
        print("rows", screen.count)
        // The turn in which the list came is not counted.
        try await Task.sleep(for: .milliseconds(100))
        MainTurns.times = []
        let pulse = Pulse()
        let own = Task { @MainActor in
            for number in 0..<(appends ? Int(seconds * 10) : 0) {
                screen.append(number)
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        if let edits {
            try await edits(Int(seconds * 60))
        } else {
            try await Task.detached { try await EditRun(count: Int(seconds * 60)).run { try screen.edit($0, $1) } }
                .value
        }
        await own.value
        try await Task.sleep(for: .seconds(1))
        let (gaps, turns) = (await pulse.stop(), MainTurns.times)
        print("shown.count", shown.count)
        print("shown.p50ms", shown.quantile(0.5))
        print("shown.p99ms", shown.quantile(0.99))
        print("main.wait.p99ms", gaps.quantile(0.99))
        print("main.wait.worst.ms", gaps.quantile(1))
        print("main.turn.p99ms", turns.quantile(0.99))
        print("main.turn.worst.ms", turns.quantile(1))
        print("memory.MB", Double(Memory.resident - memory) / 1_048_576)
        print("rows.end", screen.count)
    }
}

/// Edits at sixty a second.
struct EditRun {
    let count: Int

    func run(_ edit: (Int, String) throws -> Void) async throws {
        var writes: [Double] = []
        let start = ContinuousClock.now
        for number in 0..<count {
            try await Task.sleep(until: start + .seconds(Double(number) / 60), clock: .continuous)
            let now = ContinuousClock.now
            try edit(number, EditText.text(number))
            writes.append((ContinuousClock.now - now) / .milliseconds(1))
        }
        print("edit.p50ms", writes.quantile(0.5))
        print("edit.p99ms", writes.quantile(0.99))
    }
}

/// The text of a row that came by an edit says when it was made, by a clock that all processes share.
enum EditText {
    static func text(_ number: Int) -> String { "edit \(number) at \(DispatchTime.now().uptimeNanoseconds)" }

    static func time(of text: String) -> UInt64? {
        guard text.hasPrefix("edit ") else { return nil }
        return text.split(separator: " ").last.flatMap { UInt64($0) }
    }
}

/// A measure of how long the main actor keeps its callers waiting: a thread asks for it every millisecond.
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
