/// The machine's cores, for tests of what threads on different ones do.
public enum Cores {
    /// Those that the process may use; where the system does not say, one.
    public static let usable: [Int] = {
        var set = [UInt8](repeating: 0, count: setSize)
        let isKnown = unsafe set.withUnsafeMutableBytes { unsafe getAffinity(0, $0.count, $0.baseAddress) } >= 0
        let cores = (0..<8 * setSize).filter { set[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
        return isKnown && !cores.isEmpty ? cores : [0]
    }()

    /// Keeps the calling thread on `core`, which is one of ``usable``, until it ends.
    ///
    /// - Returns: whether it can be kept there.
    public static func stay(on core: Int) -> Bool {
        var set = [UInt8](repeating: 0, count: setSize)
        set[core / 8] = 1 << UInt8(core % 8)
        return unsafe set.withUnsafeBytes { unsafe setAffinity(0, $0.count, $0.baseAddress) } == 0
    }

    /// The bytes of a set of cores, of which each has a bit.
    private static let setSize = 128
}

// The module of the C library leaves these out.
#if os(Linux)
    @_silgen_name("sched_getaffinity")
    private func getAffinity(_ thread: CInt, _ size: Int, _ set: UnsafeMutableRawPointer?) -> CInt
    @_silgen_name("sched_setaffinity")
    private func setAffinity(_ thread: CInt, _ size: Int, _ set: UnsafeRawPointer?) -> CInt
#else
    private func getAffinity(_ thread: CInt, _ size: Int, _ set: UnsafeMutableRawPointer?) -> CInt { -1 }
    private func setAffinity(_ thread: CInt, _ size: Int, _ set: UnsafeRawPointer?) -> CInt { -1 }
#endif
