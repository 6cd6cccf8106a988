import Dispatch
import GroveModel

/// The repair of a store whose engine finds its files damaged while it is open, as with a damaged page.
///
/// The store is opened again by a fresh handle. If the engine finds damage with that one too, the store is set aside
/// and made again: otherwise every read of such a page would fail for ever. A record whose own checksum is wrong is not
/// such damage: the next write replaces it.
extension CacheCore {
    /// Notes that `error` came from `store`, on any thread.
    func noteDamage(_ error: CacheError, in store: OpenStore?) {
        guard let store, source.isDamage(error) else { return }
        writer.async { self.heal(store, error) }
    }

    /// Opens the store again, if `damaged` is still the one that is open; the second time without its records.
    private func heal(_ damaged: OpenStore, _ error: CacheError) {
        let isConfirmed: Bool? = state.withLock { state in
            guard state.life.phase == .open, state.life.currentStore === damaged else { return nil }
            defer { state.files.isSuspect.toggle() }
            // Reads that begin from now on wait for the fresh handle.
            state.life.markReplaced()
            return state.files.isSuspect
        }
        guard let isConfirmed else { return }
        do throws(CacheError) {
            try takeUp(after: isConfirmed ? error : nil) { $0.adopt($1) }
        } catch {
            // The store is let go of: the next call opens it, or throws the reason for which it cannot.
            audience.tell { $0.cacheDidFailToRead(error) }
        }
    }
}

extension StoreSource {
    /// Whether `error` is the engine's word for damaged files, rather than one record's, and the policy is to make them
    /// again.
    func isDamage(_ error: CacheError) -> Bool { error.engineCode != nil && isRepairable(error) }
}
