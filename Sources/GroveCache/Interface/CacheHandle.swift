import Dispatch
import GroveModel
import Synchronization

/// One handle on a store, which closes it when it goes.
public final class _CacheHandle: Sendable {
    let core: CacheCore
    /// The number by which the core knows this handle.
    let id: HandleID
    /// The observer of this handle, which is told of writes that come after its close.
    let observer: (any CacheObserver)?
    private let isClosed = Atomic(false)

    init(_ core: CacheCore, _ id: HandleID, _ observer: (any CacheObserver)?) {
        (self.core, self.id, self.observer) = (core, id, observer)
    }

    deinit { close() }

    func close() {
        // A child made by fork has no store to close: its parent has.
        guard CoreRegistry.shared.isOfThisProcess else { return }
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        guard !CurrentRead.isUnderWay(ObjectIdentifier(core)), !core.isOnWriter else {
            // A model's initialiser cannot wait for the read that it is part of, nor the writer's queue for itself: it
            // drops the last reference to the cache if the caller of an `async` write is gone before the queue is done
            // with it.
            return core.readers.queue.async { [core, id] in
                CoreRegistry.shared.release(core)
                core.leave(id)
            }
        }
        CoreRegistry.shared.release(core)
        core.leave(id)
    }

    func checkOpen() throws(CacheError) {
        try CoreRegistry.shared.checkProcess()
        if isClosed.load(ordering: .acquiring) { throw CacheError.isClosed }
    }
}
