import GroveModel

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
    /// What directory it is.
    let identity: FileIdentity
    private let descriptor: Int32

    /// Holds the directory at `path`.
    ///
    /// - Throws: ``CacheError`` as the system says.
    init(_ path: String) throws(CacheError) {
        let opened = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .system(errno, "open the directory \(path)") }
        var status = stat()
        guard unsafe fstat(opened, &status) == 0 else {
            let number = errno
            _ = close(opened)
            throw .system(number, "read the directory \(path)")
        }
        identity = FileIdentity(status)
        descriptor = opened
    }

    deinit { _ = close(descriptor) }

    /// - Throws: ``CacheError`` with code `inputOutput` where `path` leads elsewhere.
    func check(_ path: String) throws(CacheError) {
        if FileIdentity(path) != identity { throw HeldDirectory.wasReplaced(path) }
    }

    static func wasReplaced(_ path: String) -> CacheError {
        CacheError(.inputOutput, "The directory \(path) was replaced meanwhile; try again.")
    }
}
