import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A clock that stands still until a rule moves it.
public final class VirtualClock: Sendable {
    private let seconds: Mutex<Double>

    /// Makes a clock that shows `seconds` since 1970.
    public init(_ seconds: Double = 1_000_000_000) { self.seconds = Mutex(seconds) }

    /// The time as a date.
    public var now: Date { Date(timeIntervalSince1970: time) }

    /// The function from which a cache gets the time.
    var teller: @Sendable () -> Date { { self.now } }

    /// The time in seconds since 1970.
    public var time: Double { seconds.withLock { $0 } }

    /// Moves the clock by a number of seconds, forward or back.
    public func advance(_ by: Double) { seconds.withLock { $0 += by } }
}
