import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A clock that stands still until a rule moves it.
package final class VirtualClock: Sendable {
    private let seconds: Mutex<Double>

    /// Makes a clock that shows `seconds` since 1970.
    package init(_ seconds: Double = 1_000_000_000) { self.seconds = Mutex(seconds) }

    /// The time as a date.
    package var now: Date { Date(timeIntervalSince1970: time) }

    /// The function from which a cache gets the time.
    var teller: @Sendable () -> Date { { self.now } }

    /// The time in seconds since 1970.
    package var time: Double { seconds.withLock { $0 } }

    /// Moves the clock by a number of seconds, forward or back.
    package func advance(_ by: Double) { seconds.withLock { $0 += by } }
}
