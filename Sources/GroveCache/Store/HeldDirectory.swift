#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A directory that a store is open in: as long as this is there, the system gives its number to no other.
///
/// What is removed gives its number back, and the next directory that is made may have it: a store in there is another one.
final class HeldDirectory: Sendable {
    /// What directory it is; `nil` where it could not be opened.
    let identity: FileIdentity?
    private let descriptor: Int32

    init(_ path: String) {
        descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        var status = stat()
        identity = unsafe descriptor >= 0 && fstat(descriptor, &status) == 0 ? FileIdentity(status) : nil
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }
}
