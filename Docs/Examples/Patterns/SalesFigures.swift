// A middleware that polls for sales figures, and views that show the newest one.
//
// Views come and go. None is retained, none misses a figure while it is there, and one that comes late is given the current figure.
import Grove

/// What the middleware tells.
struct SalesFigure: Equatable, Sendable {
    let day: Int
    let total: Int
}

/// Asks for the figure again and again; who shows it, it does not know.
struct SalesMiddleware: Sendable {
    let manager: DataModelManager
    let fetch: @Sendable () async throws -> SalesFigure
    /// Waits until it is time to ask again.
    var wait: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(30)) }

    /// Polls until the task is cancelled.
    ///
    /// A request that fails is made again the next time.
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
