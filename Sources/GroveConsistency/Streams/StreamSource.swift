/// The writing end of a stream, which ends the stream when it goes.
final class StreamSource<Element: Sendable>: Sendable {
    private let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) { self.continuation = continuation }

    func yield(_ element: Element) { continuation.yield(element) }

    deinit { continuation.finish() }
}
