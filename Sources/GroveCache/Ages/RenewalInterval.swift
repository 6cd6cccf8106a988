import Synchronization

/// The age that a record's time must have for a write that changes nothing to renew it.
///
/// It is a minute, or a quarter of the least maximum age that was asked for if that is less, but at least a second. So
/// a screen that is loaded again and again writes its records once a minute. From the second load with a maximum age
/// on, content counts as older than it is by at most a quarter of that age.
final class RenewalInterval: Sendable {
    private let interval = Atomic<UInt32>(60)

    /// The interval in seconds.
    var seconds: UInt32 { interval.load(ordering: .relaxed) }

    /// Notes that `maxAge` seconds were asked for.
    func note(maxAge: Double) {
        guard maxAge >= 0, maxAge < 4 * Double(seconds) else { return }
        interval.min(UInt32(max(maxAge / 4, 1)), ordering: .relaxed)
    }

    /// Whether a call made at `time` renews a record with the time `stored`; a time that is ahead came from a wrong
    /// clock.
    static func isDue(_ stored: UInt32, at time: UInt32, every interval: UInt32) -> Bool {
        guard time > 0 else { return false }
        return stored > time || time - stored >= interval
    }
}
