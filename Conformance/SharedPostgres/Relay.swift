#if Postgres
    import Foundation
    import GroveSharedRules
    import Synchronization

    /// A proxy on a socket of its own, before a server: at each message a gate says what becomes of it.
    ///
    /// A message is one of PostgreSQL's protocol. For another protocol it is what one `read` brings.
    final class Relay: Sendable {
        /// One message.
        struct Message: Sendable {
            let isToServer: Bool
            /// PostgreSQL's type byte; `*` for the first message of a client, which has none.
            let kind: Character
            /// The message's number since ``Relay/arm(_:)``, from 1.
            let number: Int
        }

        /// What becomes of a message.
        enum Fate: Sendable {
            case passes
            /// The connection ends before the message.
            case isCut
            /// The connection ends after the message.
            case isLast
            /// Nothing comes through this connection any more, and neither side is told, until ``Relay/release()``.
            case isStopped
            /// The message and what follows it comes later.
            case isLate(Duration)
        }

        typealias Gate = @Sendable (Message) -> Fate

        private struct State {
            var gate: Gate?
            var count = 0
            var connections = 0
            var links: [Link] = []
        }

        /// The folder of the socket: libpq's `host`.
        let folder: String
        private let target: String
        private let isPostgres: Bool
        private let state = Mutex(State())
        private let listener: CInt

        /// Listens before the server whose socket is `target`.
        init(before target: String, isPostgres: Bool = true) throws {
            (self.target, self.isPostgres) = (target, isPostgres)
            folder = "/tmp/grove-relay-\(UInt32.random(in: .min ... .max))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            listener = try UnixSocket.listen("\(folder)/.s.PGSQL.5432")
            Thread.detachNewThread { [weak self, listener] in
                while let client = UnixSocket.accept(listener) {
                    self?.state.withLock { $0.connections += 1 }
                    guard let self, let server = try? UnixSocket.connect(self.target) else {
                        UnixSocket.close(client)
                        continue
                    }
                    self.join(client, server)
                }
                UnixSocket.close(listener)
            }
        }

        /// The path of the socket.
        var path: String { "\(folder)/.s.PGSQL.5432" }

        /// From now on `gate` is asked, and messages are counted from 1; without one everything passes.
        func arm(_ gate: Gate?) {
            state.withLock { state in
                state.gate = gate
                state.count = 0
            }
        }

        /// How many messages there were since ``arm(_:)``.
        var count: Int { state.withLock(\.count) }

        /// How many clients have connected, also while there was no server.
        var connections: Int { state.withLock(\.connections) }

        /// Ends the connections that were stopped.
        func release() {
            for link in state.withLock(\.links) where link.isStopped { link.end() }
        }

        /// Ends every connection, and listens no more.
        func close() {
            UnixSocket.end(listener)
            for link in state.withLock(\.links) { link.end() }
            try? FileManager.default.removeItem(atPath: folder)
        }

        private func join(_ client: CInt, _ server: CInt) {
            let link = Link(client, server)
            state.withLock { state in
                state.links.removeAll { $0.isOver }
                state.links.append(link)
            }
            for isToServer in [true, false] {
                Thread.detachNewThread {
                    self.pump(link, isToServer)
                    link.end()
                    link.leave()
                }
            }
        }

        /// Passes on what comes in one direction, until the connection ends.
        private func pump(_ link: Link, _ isToServer: Bool) {
            let (from, to) = isToServer ? (link.client, link.server) : (link.server, link.client)
            var framing = Framing(isPostgres: isPostgres, isClient: isToServer)
            while let bytes = UnixSocket.read(from) {
                guard link.mayPass() else { return }
                var passed: [UInt8] = []
                for (kind, message) in framing.messages(in: bytes) {
                    switch fate(kind, isToServer) {
                    case .passes: passed += message
                    case .isCut:
                        _ = UnixSocket.write(passed, to)
                        return
                    case .isLast:
                        _ = UnixSocket.write(passed + message, to)
                        return
                    case .isStopped:
                        _ = UnixSocket.write(passed, to)
                        link.stop()
                        _ = link.mayPass()
                        return
                    case .isLate(let delay):
                        let end = ContinuousClock.now + delay
                        guard UnixSocket.write(passed, to) else { return }
                        passed = message
                        // The system may sleep a tenth of a millisecond too long.
                        let most = ContinuousClock.now.duration(to: end) - .microseconds(150)
                        if most > .zero { Thread.sleep(forTimeInterval: most / .seconds(1)) }
                        while ContinuousClock.now < end {}
                    }
                }
                guard link.mayPass(), UnixSocket.write(passed, to) else { return }
            }
            // A side that goes while the connection is stopped is not told of.
            _ = link.mayPass()
        }

        private func fate(_ kind: Character, _ isToServer: Bool) -> Fate {
            let (gate, number) = state.withLock { state in
                state.count += 1
                return (state.gate, state.count)
            }
            return gate?(Message(isToServer: isToServer, kind: kind, number: number)) ?? .passes
        }
    }

    /// A client's connection and the one to the server that belongs to it.
    private final class Link: Sendable {
        let client: CInt
        let server: CInt
        private let condition = NSCondition()
        private let state = Mutex<(isStopped: Bool, isEnded: Bool, pumps: Int)>((false, false, 2))

        init(_ client: CInt, _ server: CInt) { (self.client, self.server) = (client, server) }

        var isStopped: Bool { state.withLock { $0.isStopped && !$0.isEnded } }
        var isOver: Bool { state.withLock { $0.pumps == 0 } }

        func stop() { state.withLock { $0.isStopped = true } }

        /// Waits while the connection is stopped; false if it has ended.
        func mayPass() -> Bool {
            condition.lock()
            defer { condition.unlock() }
            while isStopped { condition.wait() }
            return state.withLock { !$0.isEnded }
        }

        func end() {
            condition.lock()
            state.withLock { $0.isEnded = true }
            condition.broadcast()
            condition.unlock()
            guard !isOver else { return }
            UnixSocket.end(client)
            UnixSocket.end(server)
        }

        /// One direction is done; the second closes the sockets.
        func leave() {
            guard
                state.withLock({ state in
                    state.pumps -= 1
                    return state.pumps == 0
                })
            else { return }
            UnixSocket.close(client)
            UnixSocket.close(server)
        }
    }

    /// Takes a stream of bytes apart into messages.
    private struct Framing {
        let isPostgres: Bool
        /// Whether the next message has no type byte.
        private var isFirst: Bool
        private var rest: [UInt8] = []

        init(isPostgres: Bool, isClient: Bool) { (self.isPostgres, isFirst) = (isPostgres, isClient) }

        mutating func messages(in bytes: [UInt8]) -> [(Character, [UInt8])] {
            guard isPostgres else { return [("*", bytes)] }
            rest += bytes
            var (messages, start): ([(Character, [UInt8])], Int) = ([], 0)
            while true {
                let head = isFirst ? 0 : 1
                guard rest.count >= start + head + 4 else { break }
                // "Length of message contents in bytes, including self."
                let length = rest[(start + head)..<(start + head + 4)].reduce(0) { $0 << 8 | Int($1) }
                guard rest.count >= start + head + length else { break }
                let kind = isFirst ? "*" : Character(UnicodeScalar(rest[start]))
                messages.append((kind, Array(rest[start..<(start + head + length)])))
                start += head + length
                isFirst = false
            }
            rest.removeFirst(start)
            return messages
        }
    }
#endif
