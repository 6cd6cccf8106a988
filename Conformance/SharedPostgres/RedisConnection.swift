#if Postgres
    import GroveSharedRules

    /// A connection to a Redis server on a socket: what it takes to read and write a value.
    final class RedisConnection {
        private let socket: CInt
        private var rest: [UInt8] = []

        init(_ path: String) throws { socket = try UnixSocket.connect(path) }

        deinit { UnixSocket.close(socket) }

        func set(_ key: String, _ value: [UInt8]) throws {
            try send([Array("SET".utf8), Array(key.utf8), value])
            guard try line() == "+OK" else { throw SharedBroken(description: "Redis has not stored it.") }
        }

        func get(_ key: String) throws -> [UInt8] {
            try send([Array("GET".utf8), Array(key.utf8)])
            // A bulk string: "$<length>\r\n<data>\r\n".
            let head = try line()
            guard head.first == "$", let length = Int(head.dropFirst()), length >= 0 else {
                throw SharedBroken(description: "Redis has no such key: \(head)")
            }
            while rest.count < length + 2 { try receive() }
            defer { rest.removeFirst(length + 2) }
            return Array(rest[..<length])
        }

        private func send(_ words: [[UInt8]]) throws {
            var bytes = Array("*\(words.count)\r\n".utf8)
            for word in words { bytes += Array("$\(word.count)\r\n".utf8) + word + [13, 10] }
            guard UnixSocket.write(bytes, socket) else { throw SharedBroken(description: "Redis is gone.") }
        }

        private func line() throws -> String {
            while true {
                if let end = rest.firstIndex(of: 13), end + 1 < rest.count {
                    defer { rest.removeFirst(end + 2) }
                    return String(decoding: rest[..<end], as: UTF8.self)
                }
                try receive()
            }
        }

        private func receive() throws {
            guard let bytes = UnixSocket.read(socket) else { throw SharedBroken(description: "Redis is gone.") }
            rest += bytes
        }
    }
#endif
