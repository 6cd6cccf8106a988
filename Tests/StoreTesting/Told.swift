import Dispatch
package import GroveCache
import GroveModel

extension NormalizedCache {
    /// Returns when observers, streams and followers have been told of every commit that was made before.
    package func awaitTold() {
        let told = DispatchSemaphore(value: 0)
        followed(by: { _ in }).afterTelling { told.signal() }
        told.wait()
    }
}
