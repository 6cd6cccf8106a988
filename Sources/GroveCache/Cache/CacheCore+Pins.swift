import Dispatch
import GroveModel
import Synchronization

/// Pins between transactions. All of it runs on ``writer``, but for what begins there.
extension CacheCore {
    /// Lets go of everything that a closed handle retains.
    func releasePins(of handle: UInt64) {
        guard let index else { return }
        writer.async {
            index.pins.leave(handle)
            self.scheduleRelease()
        }
    }

    /// Goes on releasing, a little in each transaction, after whoever waits for the writer has had a turn.
    func scheduleRelease() {
        guard let index, index.isLoaded, index.pins.isReleasing, index.pins.pace > 0,
            !isReleasing.exchange(true, ordering: .relaxed)
        else { return }
        writer.async {
            self.isReleasing.store(false, ordering: .relaxed)
            let isThere = self.state.withLock { $0.life.currentStore != nil }
            guard isThere, index.isLoaded else { return }
            // Where this fails, the next transaction marks everything anew.
            try? self.transact { (commit) throws(CacheError) in try commit.releasePins(most: 8 * index.pins.pace) }
            self.scheduleRelease()
        }
    }
}
