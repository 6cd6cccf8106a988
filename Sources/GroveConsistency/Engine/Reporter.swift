import GroveModel

/// The way from the engine to the manager's delegate, made before the manager is.
final class Reporter: Sendable {
    struct Weak {
        weak var manager: ConsistencyManager?
    }

    let manager = Lock(Weak())

    @MainActor
    func report(_ error: CacheError) {
        report { $0.consistencyManager($1, failedWithCriticalError: error) }
    }

    @MainActor
    func report(_ replacements: [News.Replacement], context: (any Sendable)?) {
        report { delegate, manager in
            for replacement in replacements {
                delegate.consistencyManager(
                    manager, willReplaceModel: replacement.old, withModel: replacement.new, context: context)
            }
        }
    }

    @MainActor
    private func report(_ body: (any ConsistencyManagerDelegate, ConsistencyManager) -> Void) {
        guard let manager = manager.withLock({ $0.manager }), let delegate = manager.delegate else { return }
        body(delegate, manager)
    }
}
