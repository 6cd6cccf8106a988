// A middleware that polls for sales figures, and views that show the newest one.
//
// Views come and go. The manager retains no view. A view gets every figure while it exists, and the current figure if
// it comes late.
import Grove

/// An event that the middleware posts.
struct SalesFigure: Equatable, Sendable {
    let day: Int
    let total: Int
}

/// A poller that asks for the figure again and again; it does not know the views.
struct SalesMiddleware: Sendable {
    let manager: DataModelManager
    let fetch: @Sendable () async throws -> SalesFigure
    /// A function that waits until it is time to ask again.
    var wait: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(30)) }

    /// Polls until the task is cancelled, even if requests fail.
    func run() async {
        while !Task.isCancelled {
            await poll()
            guard (try? await wait()) != nil else { return }
        }
    }

    /// A figure that comes after the user has logged out is dropped.
    private func poll() async {
        let asked = manager.place()
        guard let figure = try? await fetch() else { return }
        try? manager.post(figure, asOf: asked)
    }
}

/// A view of the figure.
@MainActor
final class SalesView {
    private(set) var shown: [SalesFigure] = []

    init(_ manager: DataModelManager) {
        manager.addReceiver(self, for: SalesFigure.self, replay: true) { view, figure, _ in view.shown.append(figure) }
    }
}
