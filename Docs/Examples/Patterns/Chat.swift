// A chat whose messages come from a socket.
//
// A queue reads the bytes, and a background task splits them into messages and stores these in batches. The screen
// follows the cache. There is no lock and no nested callback, and the main actor never waits for the network.
import Dispatch
import Grove
import GroveLMDB
import GroveMacros

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Cacheable
struct ChatMessage {
    let id: Int
    let author: String
    let text: String
}

/// The screen's model: the stored messages, and those that come.
@MainActor
final class ChatScreen {
    let messages: CollectionDataProvider<ChatMessage>
    let cache: any Cache
    private(set) var batches: [Int] = []

    init(_ manager: DataModelManager, _ cache: any Cache) {
        messages = CollectionDataProvider(dataModelManager: manager)
        self.cache = cache
        // If no message is stored yet, the first ones are shown when they are stored.
        messages.fetchDataFromCache(withCacheKey: "chat", missing: .skip) { _, _ in }
    }

    /// Stores a batch of messages, for which the socket was asked at `asked`.
    ///
    /// It throws if the user has logged out since, so that messages of a former user are not stored.
    func receive(_ batch: [ChatMessage], asOf asked: Place) async throws {
        try await cache.write { tx in
            // If the chat is not stored yet, it begins as an empty list.
            if try tx.count(ofCollection: "chat") == nil { try tx.writeCollection([ChatMessage](), as: "chat") }
            try tx.put(pushed: batch, at: .last, inCollection: "chat", asOf: asked)
        }
        batches.append(batch.count)
    }
}

/// Reads messages from a server.
struct ChatNetwork: Sendable {
    let port: UInt16

    /// Passes messages to the screen until the server ends, the user logs out or the task is cancelled.
    func run(_ screen: ChatScreen) async throws {
        let socket = try Socket.connected(to: port)
        var rest = Chunk(bytes: [], asked: screen.cache.place())
        for await chunk in chunks(of: socket, asked: rest.asked, screen.cache) {
            // A message may come in several chunks, and is as old as the first. Several messages may come in one.
            let oldest = rest.bytes.isEmpty ? chunk.asked : rest.asked
            var lines = (rest.bytes + chunk.bytes).split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = Chunk(bytes: Array(lines.removeLast()), asked: lines.isEmpty ? oldest : chunk.asked)
            let batch = lines.compactMap { Self.message(String(decoding: $0, as: UTF8.self)) }
            if !batch.isEmpty { try await screen.receive(batch, asOf: oldest) }
        }
    }

    /// Bytes from the socket, and the place at which it was asked for them.
    private struct Chunk {
        let bytes: [UInt8]
        let asked: Place
    }

    /// The chunks from the socket; a queue waits for them, so that no task blocks a thread.
    ///
    /// Each chunk has its place, since it may wait in the stream while the user logs out. The place of the next chunk
    /// is taken before this one is passed on.
    private func chunks(of socket: Socket, asked: Place, _ cache: any Cache) -> AsyncStream<Chunk> {
        AsyncStream { continuation in
            continuation.onTermination = { _ in socket.shutDown() }
            DispatchQueue(label: "chat").async {
                var asked = asked
                while let bytes = socket.read() {
                    let chunk = Chunk(bytes: bytes, asked: asked)
                    asked = cache.place()
                    continuation.yield(chunk)
                }
                continuation.finish()
            }
        }
    }

    private static func message(_ line: String) -> ChatMessage? {
        let parts = line.split(separator: "|", maxSplits: 2)
        guard parts.count == 3, let id = Int(parts[0]) else { return nil }
        return ChatMessage(id: id, author: String(parts[1]), text: String(parts[2]))
    }
}

/// A TCP socket on the loopback, which is closed with its last reference.
final class Socket: Sendable {
    struct Failure: Error { let code = errno }

    private let descriptor: Int32

    private init(_ descriptor: Int32) throws {
        guard descriptor >= 0 else { throw Failure() }
        self.descriptor = descriptor
    }

    deinit { _ = close(descriptor) }

    static func connected(to port: UInt16) throws -> Socket {
        let made = try Socket(stream())
        guard unsafe withAddress(port, { unsafe connect(made.descriptor, $0, $1) }) == 0 else { throw Failure() }
        return made
    }

    /// A socket that listens on a port of the system's choice.
    static func listening() throws -> (socket: Socket, port: UInt16) {
        let made = try Socket(stream())
        guard unsafe withAddress(0, { unsafe bind(made.descriptor, $0, $1) }) == 0, listen(made.descriptor, 1) == 0
        else { throw Failure() }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let named = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(made.descriptor, $0, &length)
            }
        }
        guard named == 0 else { throw Failure() }
        return (made, UInt16(bigEndian: address.sin_port))
    }

    func accepted() throws -> Socket { try Socket(accept(descriptor, nil, nil)) }

    /// Waits for bytes and returns them; `nil` at the end.
    func read() -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            unsafe count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return bytes.isEmpty ? nil : bytes
    }

    func write(_ bytes: some Collection<UInt8>) {
        _ = unsafe Array(bytes).withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, 0) }
    }

    func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func stream() -> Int32 {
        #if canImport(Darwin)
            socket(AF_INET, SOCK_STREAM, 0)
        #else
            socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    private static func withAddress(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
