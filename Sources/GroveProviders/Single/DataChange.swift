public import GroveModel

/// One change of a provider's data.
public struct DataChange<T: SimpleModel>: Sendable {
    /// The data after the change.
    public let data: T?
    /// The side that made the change: this provider, or others.
    public let origin: ChangeOrigin
    /// The context that was passed along with the change.
    public let context: (any Sendable)?
}

/// The side that made a change, as seen by the reader of one provider's changes.
public enum ChangeOrigin: Hashable, Sendable {
    /// The provider's own owner, by setting, editing or fetching through this provider.
    case own
    /// Another provider, writer or process.
    case other
}

/// The streams that follow one source; they end with it.
@MainActor
final class Broadcast<Element: Sendable> {
    private var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
    private var next = 0

    init() {}

    deinit { for continuation in continuations.values { continuation.finish() } }

    func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        next += 1
        let key = next
        continuations[key] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.continuations[key] = nil }
        }
        return stream
    }

    func send(_ element: @autoclosure () -> Element) {
        guard !continuations.isEmpty else { return }
        let element = element()
        for continuation in continuations.values { continuation.yield(element) }
    }
}
