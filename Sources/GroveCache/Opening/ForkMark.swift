import GrovePlatform

/// A word in memory that the system empties in a child made by `fork`: a look at it costs a load, and asking for the
/// process's number a system call.
@safe
// SAFETY: the address is set once, and the byte there is written before another thread has it.
final class ForkMark: @unchecked Sendable {
    /// The page with the word; `nil` if the system cannot empty it: then forks go unnoticed.
    private let page: UnsafeMutableRawPointer?
    private static let byteCount = 4_096

    init() {
        let mapped = unsafe mmap(
            nil, ForkMark.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED, unsafe ForkMark.isEmptied(mapped) else {
            unsafe page = nil
            return
        }
        unsafe mapped.storeBytes(of: 1, as: UInt8.self)
        unsafe page = unsafe mapped
    }

    deinit { if let page = unsafe page { unsafe munmap(page, ForkMark.byteCount) } }

    /// Whether this is the process that made the mark, rather than a child that has inherited it.
    @inline(__always)
    var isOfThisProcess: Bool { unsafe page.map { unsafe $0.load(as: UInt8.self) == 1 } ?? true }

    private static func isEmptied(_ page: UnsafeMutableRawPointer) -> Bool {
        #if canImport(Darwin)
            // VM_INHERIT_ZERO
            unsafe minherit(page, byteCount, 3) == 0
        #else
            // MADV_WIPEONFORK, of Linux 4.14
            unsafe madvise(page, byteCount, 18) == 0
        #endif
    }
}
