public import GroveModel

/// The file and the line at which an event was posted.
public struct EventSource: Hashable, Sendable {
    /// The sender's file, as `#fileID` gives it.
    public let fileID: String
    /// The sender's line.
    public let line: Int
}

extension DataModelManager {
    /// Posts `event` to all receivers of its type, on the main actor, in the order of posts.
    ///
    /// Returns at once, from any thread. A receiver may post; its events are delivered after those that are under way.
    public func post<E: Sendable>(_ event: E, fileID: String = #fileID, line: Int = #line) {
        post(event, of: lifeNow, EventSource(fileID: fileID, line: line))
    }

    /// Posts an event that was requested at `place`, such as a server's answer.
    ///
    /// ```swift
    /// let asked = manager.place()
    /// let figure = try await server.figure()
    /// try manager.post(figure, asOf: asked)
    /// ```
    ///
    /// - Throws: ``CacheError`` with code `cancelled` if everything was wiped since `place`.
    public func post<E: Sendable>(
        _ event: E, asOf place: Place, fileID: String = #fileID, line: Int = #line
    ) throws(CacheError) {
        let life = lifeNow
        guard !isOver(place) else { throw .wiped }
        post(event, of: life, EventSource(fileID: fileID, line: line))
    }

    private func post<E: Sendable>(_ event: E, of life: Life, _ source: EventSource) {
        events.post(event, source) { [weak self] in self?.lifeNow != life }
    }

    /// Delivers events of a type to `receiver` from now on, as long as it lives; there is nothing to unregister.
    ///
    /// - Parameters:
    ///   - receiver: held weakly, and passed to `body`, which need not capture it.
    ///   - replay: whether the latest earlier event is delivered first.
    @MainActor
    public func addReceiver<Receiver: AnyObject, E: Sendable>(
        _ receiver: Receiver, for type: E.Type = E.self, replay: Bool = false,
        _ body: @escaping @MainActor (_ receiver: Receiver, _ event: E, _ source: EventSource) -> Void
    ) {
        events.add(receiver, type, replay: replay, body)
    }
}
