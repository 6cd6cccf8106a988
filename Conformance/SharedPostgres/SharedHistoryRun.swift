#if Postgres
    import Foundation
    import GroveShared
    import GroveSharedRules
    import GroveSQLite
    import Synchronization

    /// Eight worker processes on four stores; workers and the server are killed and stopped, and connections are cut.
    final class SharedHistoryRun: Sendable {
        private struct State {
            var history: SharedHistory
            var children: [Int: Child] = [:]
            var last: [Int: Int] = [:]
            var started = 0
            var kills = (workers: 0, server: 0, stops: 0)
            var isOver = false
            var told = 0
        }

        private let server: PostgresServer
        private let relay: Relay
        /// The folder of the stores.
        private let base: String
        private let state: Mutex<State>

        init(_ server: PostgresServer) throws {
            self.server = server
            relay = try Relay(before: server.socket)
            let patience = UInt64(WorkerProcess.patience / .nanoseconds(1))
            state = Mutex(State(history: SharedHistory(patience: patience)))
            base = FileManager.default.temporaryDirectory.path + "/grove-history-\(UInt32.random(in: .min ... .max))"
            for number in 0..<4 {
                try FileManager.default.createDirectory(
                    atPath: "\(base)/\(number)", withIntermediateDirectories: true)
            }
        }

        /// Returns how many lies were found.
        func run(for span: Duration) async throws -> Int {
            let world = try await PostgresWorld(server.conninfo)
            try await world.commit(SharedWorker<SQLiteStore>.beginning)
            relay.arm { message in
                switch Int.random(in: 0..<4_000) {
                case 0: .isCut
                case 1: .isLast
                case 2: .isStopped
                case 3..<40: .isLate(.milliseconds(Int.random(in: 1...20)))
                default: .passes
                }
            }
            let ends = (0..<8).map { _ in DispatchSemaphore(value: 0) }
            for key in 0..<8 {
                Thread.detachNewThread {
                    self.keepRunning(key)
                    ends[key].signal()
                }
            }
            let end = ContinuousClock.now + span
            var told = ContinuousClock.now
            while ContinuousClock.now < end {
                try await fault()
                relay.release()
                state.withLock { $0.history.check(before: DispatchTime.now().uptimeNanoseconds - SharedHistory.slack) }
                if told.duration(to: .now) > .seconds(60) {
                    told = .now
                    tell()
                }
            }
            let children = state.withLock { state in
                state.isOver = true
                return Array(state.children.values)
            }
            for child in children { child.signal(SIGKILL) }
            // The threads only wait for processes that were killed.
            for end in ends { Self.wait(end) }
            relay.close()
            try? FileManager.default.removeItem(atPath: base)
            state.withLock { $0.history.check() }
            tell()
            let lies = state.withLock(\.history.found.count)
            if lies == 0 { print("no lie") }
            return lies
        }

        private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

        private func tell() {
            let (totals, kills, found, told) = state.withLock { state in
                defer { state.told = state.history.found.count }
                return (state.history.totals, state.kills, state.history.found, state.told)
            }
            for lie in found.dropFirst(told).prefix(10) { print("A LIE: \(lie)") }
            print(
                """
                history: \(totals.reads) reads, \(totals.writes) writes, \(totals.failures) typed failures; \(kills.workers) \
                workers and \(kills.server) servers killed, \(kills.stops) stopped; \(found.count) lies
                """)
            fflush(nil)
        }

        /// Starts the worker of a key again whenever it is killed.
        private func keepRunning(_ key: Int) {
            while true {
                let (number, last) = state.withLock { state in
                    state.started += 1
                    return (state.started, state.last[key] ?? 0)
                }
                let conninfo = key < 4 ? server.conninfo(through: relay) : server.conninfo
                let words = ["work", conninfo, "\(base)/\(key % 4)", "\(key)", "\(last)"]
                guard let child = try? Child(CommandLine.arguments[0], words) else { continue }
                let isOver = state.withLock { state in
                    state.children[key] = child
                    return state.isOver
                }
                if isOver { child.signal(SIGKILL) }
                let status = child.run { line in
                    state.withLock { state in
                        guard let event = SharedHistory.Event(line) else {
                            return state.history.accuse("worker \(number) said \(line)")
                        }
                        if case .sent(_, let value, _) = event { state.last[key] = value }
                        state.history.add(event, of: number)
                    }
                }
                let isDone = state.withLock { state in
                    if status != -SIGKILL { state.history.accuse("worker \(number) ended by itself: \(status)") }
                    return state.isOver
                }
                if isDone { return }
            }
        }

        /// Something breaks, and is repaired.
        private func fault() async throws {
            let child = state.withLock { $0.children[Int.random(in: 0..<8)] }
            switch Int.random(in: 0..<20) {
            case 0:
                try server.do(.kill)
                state.withLock { $0.kills.server += 1 }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...1_000)))
                try server.do(.start)
            case 1:
                try server.do(.freeze)
                state.withLock { $0.kills.stops += 1 }
                try await Task.sleep(for: .milliseconds(Int.random(in: 100...2_500)))
                try server.do(.thaw)
            case 2..<6:
                child?.signal(SIGSTOP)
                state.withLock { $0.kills.stops += 1 }
                try await Task.sleep(for: .milliseconds(Int.random(in: 10...2_000)))
                child?.signal(SIGCONT)
            default:
                child?.signal(SIGKILL)
                state.withLock { $0.kills.workers += 1 }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...900)))
        }
    }
#endif
