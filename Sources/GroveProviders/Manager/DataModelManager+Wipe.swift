import Dispatch
import GroveConsistency
public import GroveModel

extension DataModelManager {
    /// Clears everything, for a sign-out: providers, event channels, requests under way, and the cache.
    ///
    /// No earlier data come back. When the call is made, providers and collections become empty and listen to nothing,
    /// and their delegates are told. Updates on their way are dropped, and fetches under way complete with code
    /// `cancelled`. Listeners, streams and conditions of the engine are told that their models are gone. The call
    /// returns when the cache is empty too. Data that are set after the call stay.
    ///
    /// - Throws: the error of the cache, with code `unsupported` if it cannot be emptied. Memory is cleared even then.
    @MainActor
    public func wipe() async throws(CacheError) {
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<CacheError?, Never>) in
            let cache = cacheDelegate
            lives.epoch.withLock { epoch in
                epoch += 1
                consistencyManager.wipe()
                lives.wipesUnderWay.withLock { $0 += 1 }
                onCache { [followed] in
                    if let followed {
                        return self.lives.wipesUnderWay.withLock { wipes in
                            wipes -= 1
                            followed.wipe { [self] in
                                // The manager is not told of its own calls.
                                noteLife(isShown: true)
                                continuation.resume(returning: $0)
                            }
                        }
                    }
                    // Writes of later calls wait behind the wipe.
                    let isDone = DispatchSemaphore(value: 0)
                    Task.detached {
                        var failure: CacheError?
                        do throws(CacheError) { try await cache.wipe() } catch { failure = error }
                        continuation.resume(returning: failure)
                        isDone.signal()
                    }
                    isDone.wait()
                }
            }
            consistencyManager.forgetMissed()
            calls.unsaved.withLock { $0 = UnsavedSet() }
            for request in Array(requests.open.values) { request.fail(CacheError.wiped) }
            events.clear()
            layers?.clear()
            let providers = screens.providers.values.compactMap(\.provider)
            let stores = screens.stores.values.compactMap(\.store)
            screens.stores = screens.stores.filter { $0.value.store != nil }
            let time = now()
            for store in stores { store.clearForWipe(at: time) }
            for provider in providers { provider.clearForWipe(at: time) }
            for provider in providers { (provider as? any BatchListenable)?.batchListener?.finishUpdate(context: nil) }
        }
        if let outcome { throw outcome }
    }
}
