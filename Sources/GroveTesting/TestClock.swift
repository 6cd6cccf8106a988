import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A clock that stands still until the test moves it.
///
/// All members may be used from any thread.
public final class TestClock: Sendable {
    private let time: Mutex<Date>

    /// Makes a clock that shows `now`; by default the same moment in each run.
    public init(_ now: Date = Date(timeIntervalSince1970: 1_800_000_000)) { time = Mutex(now) }

    /// The time that the clock shows.
    public var now: Date { time.withLock { $0 } }

    /// Moves the clock by `seconds`; a negative number moves it back, as a user may do with the device's clock.
    public func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}
