#if Postgres
    import Foundation
    import GroveCache
    import GroveModel
    import GrovePostgres
    import GroveShared
    import GroveSharedRules
    import GroveSQLite

    /// A worker that is a process of its own, with a near cache on disk: what this program does if it is called so.
    struct WorkerProcess {
        static let patience = Duration.milliseconds(50)

        private let near: NearCache<SQLiteStore>

        init(_ conninfo: String, directory: String) throws {
            let tier = PostgresTier(
                conninfo, mapping: PostgresWorld.mapping, connections: 2, timeLimit: .milliseconds(1_500))
            near = NearCache(
                store: try SQLiteCache(directory: directory), far: tier, patience: Self.patience, timeLimit: .seconds(4)
            )
        }

        /// Runs what the words after the program's name say.
        static func main(_ words: [String]) async throws {
            let worker = try WorkerProcess(words[1], directory: words[2])
            switch words[0] {
            case "work": await worker.work(key: Int(words[3]) ?? 0, after: Int(words[4]) ?? 0)
            default: try await worker.once(words[3])
            }
        }

        /// Reads and writes until it is killed, and tells each event in a line.
        private func work(key: Int, after last: Int) async {
            var worker = SharedWorker(near, key: key, after: last, now: { DispatchTime.now().uptimeNanoseconds }) {
                event in
                _ = unsafe Array((event.line + "\n").utf8).withUnsafeBytes { bytes in
                    unsafe write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
                }
            }
            // Half of the workers ask on demand only.
            let listener = key % 2 == 0 ? Task { await near.run() } : nil
            defer { listener?.cancel() }
            while true {
                await worker.step()
                try? await Task.sleep(for: .milliseconds(1))
            }
        }

        /// A miss, a fresh read and a write, in which it is killed.
        private func once(_ text: String) async throws {
            _ = try await near.model("Note:x", as: Note.self)
            _ = try await near.model("Note:x", as: Note.self, .fresh)
            _ = try await near.write([.put(Note("x", text))])
            _ = try await near.model("Note:x", as: Note.self, .fresh)
        }
    }

    extension SharedHistory.Event {
        /// The event in words.
        var line: String {
            switch self {
            case .sent(let key, let value, let time): "s \(key) \(value) \(time)"
            case .written(let key, let value, let time, let isCommitted):
                "w \(key) \(value) \(time) \(isCommitted.map { $0 ? 1 : 0 } ?? 2)"
            case .read(let key, let halves, let isFresh, let from, let to):
                "r \(key) \(isFresh ? 1 : 0) \(from) \(to) \(halves.map(String.init).joined(separator: " "))"
            case .failed: "f"
            }
        }

        /// The event of a line; `nil` if it is none.
        init?(_ line: Substring) {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().compactMap { Int($0) }
            guard let kind = words.first, numbers.count == words.count - 1 else { return nil }
            switch (kind, numbers.count) {
            case ("s", 3): self = .sent(key: numbers[0], value: numbers[1], at: UInt64(numbers[2]))
            case ("w", 4):
                self = .written(
                    key: numbers[0], value: numbers[1], at: UInt64(numbers[2]),
                    isCommitted: numbers[3] == 2 ? nil : numbers[3] == 1)
            case ("r", 6):
                self = .read(
                    key: numbers[0], halves: Array(numbers[4...]), isFresh: numbers[1] == 1, from: UInt64(numbers[2]),
                    to: UInt64(numbers[3]))
            case ("f", 0): self = .failed
            default: return nil
            }
        }
    }
#endif
