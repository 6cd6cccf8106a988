import Dispatch

/// Nanoseconds on a clock that only goes forward.
@inline(__always) func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// Microseconds since `start`.
@inline(__always) func microseconds(since start: UInt64) -> Double { Double(now() - start) / 1e3 }

/// Seconds that `body` takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = now()
    try body()
    return Double(now() - start) / 1e9
}
