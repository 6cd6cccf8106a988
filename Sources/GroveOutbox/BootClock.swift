import GrovePlatform

/// The clock of leases and pauses.
///
/// All processes of a machine share it, and it is never set. It goes on while the machine sleeps.
enum BootClock {
    /// Seconds since the machine was started.
    static var now: Double {
        #if canImport(Darwin)
            return Double(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)) / 1e9
        #else
            var time = timespec()
            #if os(Linux) || os(Android)
                _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
            #else
                _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
            #endif
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        #endif
    }
}
