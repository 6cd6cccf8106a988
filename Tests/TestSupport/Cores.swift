/// The machine's cores, for tests of threads on different cores.
public enum Cores {
    /// The cores that the process may use; one core if the system does not say.
    public static let usable: [Int] = {
        var set = [UInt8](repeating: 0, count: setSize)
        let isKnown = unsafe set.withUnsafeMutableBytes { unsafe getAffinity(0, $0.count, $0.baseAddress) } >= 0
        let cores = (0..<8 * setSize).filter { set[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
        return isKnown && !cores.isEmpty ? cores : [0]
    }()

    /// Keeps the calling thread on `core`, one of ``usable``, until the thread ends.
    ///
    /// - Returns: whether the system allows it.
    public static func stay(on core: Int) -> Bool {
        var set = [UInt8](repeating: 0, count: setSize)
        set[core / 8] = 1 << UInt8(core % 8)
        return unsafe set.withUnsafeBytes { unsafe setAffinity(0, $0.count, $0.baseAddress) } == 0
    }

    /// The number of bytes of a set of cores, with one bit for each core.
    private static let setSize = 128
}

// The C library's module lacks these functions.
#if os(Linux)
    @_silgen_name("sched_getaffinity")
    private func getAffinity(_ thread: CInt, _ size: Int, _ set: UnsafeMutableRawPointer?) -> CInt
    @_silgen_name("sched_setaffinity")
    private func setAffinity(_ thread: CInt, _ size: Int, _ set: UnsafeRawPointer?) -> CInt
#else
    private func getAffinity(_ thread: CInt, _ size: Int, _ set: UnsafeMutableRawPointer?) -> CInt { -1 }
    private func setAffinity(_ thread: CInt, _ size: Int, _ set: UnsafeRawPointer?) -> CInt { -1 }
#endif
