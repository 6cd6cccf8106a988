#if Postgres
    import Foundation
    import GroveSharedRules

    /// Calls of the system for sockets that lie in a folder.
    enum UnixSocket {
        static func listen(_ path: String) throws -> CInt {
            let socket = try make()
            guard unsafe try at(path, { unsafe bind(socket, $0, $1) }) == 0, Foundation.listen(socket, 64) == 0 else {
                throw SharedBroken(description: "Nothing can listen at \(path): errno \(errno).")
            }
            return socket
        }

        static func connect(_ path: String) throws -> CInt {
            let socket = try make()
            guard unsafe try at(path, { unsafe Foundation.connect(socket, $0, $1) }) == 0 else {
                close(socket)
                throw SharedBroken(description: "Nothing listens at \(path): errno \(errno).")
            }
            return socket
        }

        static func accept(_ listener: CInt) -> CInt? {
            while true {
                let socket = Foundation.accept(listener, nil, nil)
                if socket >= 0 {
                    // A server that is started meanwhile must not hold it open.
                    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                    return socket
                }
                guard errno == EINTR || errno == ECONNABORTED else { return nil }
            }
        }

        /// What has come; `nil` at the end.
        static func read(_ socket: CInt) -> [UInt8]? {
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
                repeat {
                    count = unsafe Foundation.read(socket, buffer.baseAddress, buffer.count)
                } while count < 0 && errno == EINTR
                filled = max(count, 0)
            }
            return count > 0 ? bytes : nil
        }

        /// Writes all of `bytes`; false if the other side is gone.
        static func write(_ bytes: [UInt8], _ socket: CInt) -> Bool {
            var done = 0
            while done < bytes.count {
                let count = unsafe bytes.withUnsafeBytes { buffer in
                    unsafe send(socket, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done, noSignal)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }

        /// Ends both directions; who reads it is told.
        static func end(_ socket: CInt) { _ = shutdown(socket, bothDirections) }

        static func close(_ socket: CInt) { _ = Foundation.close(socket) }

        #if canImport(Darwin)
            private static let noSignal: CInt = 0
            private static let bothDirections = SHUT_RDWR
            private static func make() throws -> CInt { try checked(socket(AF_UNIX, SOCK_STREAM, 0)) }
        #else
            private static let noSignal = CInt(MSG_NOSIGNAL)
            private static let bothDirections = CInt(SHUT_RDWR)
            private static func make() throws -> CInt {
                try checked(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
            }
        #endif

        private static func checked(_ socket: CInt) throws -> CInt {
            guard socket >= 0 else { throw SharedBroken(description: "There is no socket: errno \(errno).") }
            return socket
        }

        private static func at(_ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> CInt) throws -> CInt {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
                throw SharedBroken(description: "The path of the socket is too long: \(path)")
            }
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
            return unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }
#endif
