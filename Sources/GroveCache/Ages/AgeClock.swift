import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The clock of a cache: the system's wall clock, unless the owner brought another.
///
/// Times are seconds since 1970.
struct AgeClock: Sendable {
    /// The owner's clock, if there is one.
    let now: (@Sendable () -> Date)?

    /// The time that a record of a call made now says: whole seconds, never later than the call; 0 if the clock tells
    /// none.
    var ofCall: UInt32 {
        guard let now else {
            #if os(Linux)
                return AgeClock.seconds(AgeClock.system(CLOCK_REALTIME_COARSE))
            #else
                return AgeClock.seconds(AgeClock.system(CLOCK_REALTIME))
            #endif
        }
        return AgeClock.seconds(now().timeIntervalSince1970)
    }

    /// The time by which ages are judged.
    var ofRead: Double {
        if let now { return now().timeIntervalSince1970 }
        return AgeClock.system(CLOCK_REALTIME)
    }

    private static func seconds(_ time: Double) -> UInt32 {
        time >= 0 && time < Double(UInt32.max) ? UInt32(time) : 0
    }

    private static func system(_ clock: clockid_t) -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
