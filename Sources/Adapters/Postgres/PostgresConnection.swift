#if Postgres
    import CPostgres
    import GrovePlatform
    package import GroveShared

    /// One result of a statement: names of columns, and rows of texts.
    public struct PostgresRows: Sendable {
        /// The names of the columns.
        public let columns: [String]
        /// The rows; `nil` is SQL's NULL.
        public let rows: [[String?]]
    }

    /// One connection.
    ///
    /// Its calls block, and come from one thread at a time.
    ///
    /// It is the only place that calls libpq.
    // SAFETY: the pool hands a connection to one caller at a time, with a lock in between.
    @safe
    package final class PostgresConnection: @unchecked Sendable {
        private let handle: OpaquePointer
        /// Connects to the server that `conninfo` names, by `deadline`.
        package init(_ conninfo: String, by deadline: ContinuousClock.Instant) throws(SharedError) {
            guard let handle = unsafe PQconnectStart(conninfo) else {
                throw SharedError(.unreachable, "There is no memory for a connection.")
            }
            unsafe self.handle = unsafe handle
            // "The default notice processor … prints the message on stderr": a library does not.
            unsafe PQsetNoticeProcessor(handle, { _, _ in }, nil)
            // "Loop: If PQconnectPoll(conn) last returned PGRES_POLLING_READING, wait until the socket is ready to
            // read."
            var status = PGRES_POLLING_WRITING
            while status != PGRES_POLLING_OK {
                guard unsafe PQstatus(handle) != CONNECTION_BAD, status != PGRES_POLLING_FAILED else {
                    throw failure()
                }
                try waitForSocket(status == PGRES_POLLING_READING ? Int16(POLLIN) : Int16(POLLOUT), by: deadline)
                status = unsafe PQconnectPoll(handle)
            }
            // "In the nonblocking state, calls to PQputline, PQputnbytes, PQputCopyData, and PQendcopy will not block":
            // nor does PQsendQuery, if the server does not take what is sent.
            guard unsafe PQsetnonblocking(handle, 1) == 0 else { throw failure() }
        }

        deinit { unsafe PQfinish(handle) }

        /// Whether the connection can be used again.
        var isUsable: Bool {
            unsafe PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE
        }

        /// Runs statements in one round trip, by `deadline`, and returns the results of those that have rows.
        ///
        /// - Throws: `unreachable` if the connection is lost, `timedOut`, or `refused` with what the server says.
        @discardableResult
        package func run(_ sql: String, by deadline: ContinuousClock.Instant) throws(SharedError) -> [PostgresRows] {
            guard unsafe PQsendQuery(handle, sql) == 1 else { throw failure() }
            // "If it returns 1, wait for the socket to become read- or write-ready. … If it becomes read-ready, call
            // PQconsumeInput, then call PQflush again."
            while case let left = unsafe PQflush(handle), left != 0 {
                guard left == 1 else { throw failure() }
                if try waitForSocket(Int16(POLLIN | POLLOUT), by: deadline) & Int16(POLLIN) != 0 {
                    guard unsafe PQconsumeInput(handle) == 1 else { throw failure() }
                }
            }
            var results: [PostgresRows] = []
            var refusal: SharedError?
            while true {
                while unsafe PQisBusy(handle) == 1 {
                    try waitForSocket(Int16(POLLIN), by: deadline)
                    guard unsafe PQconsumeInput(handle) == 1 else { throw failure() }
                }
                guard let result = unsafe PQgetResult(handle) else { break }
                defer { unsafe PQclear(result) }
                switch unsafe PQresultStatus(result) {
                case PGRES_TUPLES_OK: results.append(unsafe Self.rows(result))
                case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
                default: if refusal == nil { refusal = unsafe Self.refusal(result) }
                }
            }
            if unsafe PQstatus(handle) == CONNECTION_BAD { throw failure() }
            if let refusal { throw refusal }
            return results
        }

        /// Whether a notification comes by `deadline`.
        func hears(by deadline: ContinuousClock.Instant) throws(SharedError) -> Bool {
            var isHeard = false
            while true {
                while let notification = unsafe PQnotifies(handle) {
                    unsafe PQfreemem(notification)
                    isHeard = true
                }
                if isHeard { return true }
                do throws(SharedError) {
                    try waitForSocket(Int16(POLLIN), by: deadline)
                } catch  where error.code == .timedOut {
                    return false
                }
                guard unsafe PQconsumeInput(handle) == 1 else { throw failure() }
            }
        }

        /// `text` as a SQL literal, quotes included.
        static func literal(_ text: String) -> String {
            // A backslash means itself only if standard_conforming_strings is on, so that one is written in the E form.
            let quoted = text.replacing("'", with: "''")
            return quoted.contains("\\") ? " E'" + quoted.replacing("\\", with: "\\\\") + "'" : "'" + quoted + "'"
        }

        /// Waits for one of `events`, and returns those that there are.
        @discardableResult
        private func waitForSocket(
            _ events: Int16, by deadline: ContinuousClock.Instant
        ) throws(SharedError) -> Int16 {
            while true {
                let left = ContinuousClock.now.duration(to: deadline)
                guard left > .zero else { throw SharedError(.timedOut, "The server did not answer in time.") }
                var descriptor = pollfd(fd: unsafe PQsocket(handle), events: events, revents: 0)
                let parts = left.components
                let milliseconds = Int32(min(parts.seconds, 3_600) * 1_000 + parts.attoseconds / 1_000_000_000_000_000)
                if unsafe poll(&descriptor, 1, milliseconds + 1) > 0 { return descriptor.revents }
            }
        }

        private func failure() -> SharedError {
            let text = unsafe String(cString: PQerrorMessage(handle))
            let isFull = text.contains("too many clients") || text.contains("remaining connection slots")
            return SharedError(isFull ? .refused : .unreachable, text)
        }

        private static func refusal(_ result: OpaquePointer) -> SharedError {
            let text = unsafe String(cString: PQresultErrorMessage(result))
            // "PG_DIAG_SQLSTATE", a character constant that Swift does not import.
            let state = unsafe PQresultErrorField(result, 67).map { unsafe String(cString: $0) } ?? ""
            switch state {
            case "57014": return SharedError(.timedOut, text)
            case "57P01", "57P02", "57P03": return SharedError(.unreachable, text)
            default: return SharedError(state.hasPrefix("08") ? .unreachable : .refused, "\(text) (\(state))")
            }
        }

        private static func rows(_ result: OpaquePointer) -> PostgresRows {
            let (rows, columns) = unsafe (PQntuples(result), PQnfields(result))
            return PostgresRows(
                columns: (0..<columns).map { unsafe PQfname(result, $0).map { unsafe String(cString: $0) } ?? "" },
                rows: (0..<rows).map { row in
                    (0..<columns).map { column in
                        unsafe PQgetisnull(result, row, column) == 1
                            ? nil : unsafe String(cString: PQgetvalue(result, row, column))
                    }
                })
        }
    }
#endif
