#if Postgres
    import Foundation
    import GroveSharedRules

    /// A process that this one starts, and whose output it reads.
    ///
    /// `Foundation.Process` is of no use here: on Linux it takes a server that a script starts for the script itself.
    final class Child: Sendable {
        /// Between the making of a pipe and its mark no other process may be started, or it would hold the pipe open.
        private static let starting = NSLock()

        private let identifier: pid_t
        private let output: CInt

        /// Starts the program at `path`.
        init(_ path: String, _ arguments: [String]) throws {
            Self.starting.lock()
            defer { Self.starting.unlock() }
            var ends: [CInt] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { throw SharedBroken(description: "There is no pipe: errno \(errno).") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t? = nil
            #else
                var actions = unsafe posix_spawn_file_actions_t()
            #endif
            unsafe posix_spawn_file_actions_init(&actions)
            defer { unsafe posix_spawn_file_actions_destroy(&actions) }
            unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
            var words: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) }
            unsafe words.append(nil)
            defer { unsafe words.forEach { unsafe free($0) } }
            var child = pid_t()
            let status = unsafe posix_spawn(&child, path, &actions, nil, words, environ)
            UnixSocket.close(ends[1])
            (identifier, output) = (child, ends[0])
            guard status == 0 else { throw SharedBroken(description: "\(path) cannot be started: error \(status).") }
        }

        deinit { UnixSocket.close(output) }

        /// Calls `body` with each line that it writes, and returns when it has ended: its exit status, or the negative
        /// number of the signal that killed it.
        @discardableResult
        func run(_ body: (Substring) -> Void = { _ in }) -> CInt {
            var rest: [UInt8] = []
            while let bytes = UnixSocket.read(output) {
                rest += bytes
                guard let end = rest.lastIndex(of: 10) else { continue }
                for line in String(decoding: rest[..<end], as: UTF8.self).split(separator: "\n") { body(line) }
                rest.removeFirst(end + 1)
            }
            var status: CInt = 0
            while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
        }

        /// Sends it a signal; its owner has not returned from ``run(_:)`` yet.
        func signal(_ number: CInt) { _ = kill(identifier, number) }
    }
#endif
