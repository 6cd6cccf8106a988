#if Postgres
    import Foundation
    import GroveSharedRules

    /// The server that `Scripts/shared.sh` has started, and what can be done to it.
    struct PostgresServer: Sendable {
        /// What the script can do.
        enum Verb: String, Sendable {
            /// Kills all of its processes.
            case kill
            /// Starts it again, and returns when it answers.
            case start
            /// Stops all of its processes where they are.
            case freeze
            /// Lets them go on.
            case thaw
        }

        let conninfo: String
        private let control: String

        init(_ conninfo: String) throws {
            guard let control = ProcessInfo.processInfo.environment["GROVE_SHARED_SERVER"] else {
                throw SharedBroken(
                    description: "GROVE_SHARED_SERVER is not set: Scripts/shared.sh starts this program.")
            }
            (self.conninfo, self.control) = (conninfo, control)
        }

        /// The path of its socket.
        var socket: String {
            let host = conninfo.split(separator: " ").first { $0.hasPrefix("host=") }?.dropFirst(5) ?? ""
            return "\(host)/.s.PGSQL.5432"
        }

        /// The connection string for a client that goes through `relay`.
        func conninfo(through relay: Relay) -> String {
            conninfo.split(separator: " ").map { $0.hasPrefix("host=") ? "host=\(relay.folder)" : String($0) }
                .joined(separator: " ")
        }

        func `do`(_ verb: Verb) throws {
            guard try Child("/bin/sh", [control, verb.rawValue]).run() == 0 else {
                throw SharedBroken(description: "The server's control failed: \(verb)")
            }
        }
    }
#endif
