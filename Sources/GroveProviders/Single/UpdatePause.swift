import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A pause of a provider: changes by others are held back, of which the last one is kept.
struct UpdatePause<T: SimpleModel> {
    var isPaused = false
    /// The change that is shown at the end of the pause, unless newer data are there by then.
    var missed: (data: T?, context: (any Sendable)?, time: Date)?
}
