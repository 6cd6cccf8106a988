import CLevelDB
import GroveCache
import GroveModel
import GrovePlatform

/// The failures of LevelDB, which it reports as strings, as ``CacheError``s.
enum LevelDBErrors {
    /// The call that was made of the engine; some failures have a different code by it.
    enum Operation: String {
        case open = "open the store"
        case read = "read"
        case write = "write"
    }

    /// Throws the error for `message`, if there is one, and frees its memory.
    @inline(__always)
    static func check(_ message: UnsafeMutablePointer<CChar>?, _ operation: Operation) throws(CacheError) {
        guard let message = unsafe message else { return }
        throw unsafe take(message, operation)
    }

    /// The one mapping of LevelDB's failures.
    ///
    /// A status prints as its kind, a colon and two messages. An `IO error` has the file first and the system's own
    /// words last (`util/status.cc`, `util/env_posix.cc`). Those words are compared with this system's words, since the
    /// host may have set a language.
    @inline(never)
    private static func take(_ message: UnsafeMutablePointer<CChar>, _ operation: Operation) -> CacheError {
        let text = unsafe String(cString: message)
        unsafe leveldb_free(message)
        let number = systemErrors.first { text.hasSuffix(": " + CacheError.systemWords($0)) }
        let code: CacheError.Code
        if text.hasPrefix("Corruption:") {
            code = .corrupted
        } else if text.contains("already held by process") {
            code = .locked
        } else if text.hasPrefix("IO error: lock "), number == EAGAIN || number == EACCES {
            code = .locked
        } else if text.hasPrefix("Invalid argument:") {
            // The comparator or an option differs from the one with which the files were written.
            code = operation == .open ? .unsupportedFormat : .other
        } else if number == EINVAL {
            // LevelDB's own word for a read past the end of a table: the table or its index is damaged.
            code = .corrupted
        } else if operation == .open, text.hasPrefix("IO error: "), text.hasSuffix("/") {
            // A `CURRENT` that begins with a zero byte names the directory, and cuts the message off.
            code = .corrupted
        } else if text.hasPrefix("NotFound:") || (number == ENOENT && operation == .read) {
            // A table or log that the manifest names is missing; an absent key is not reported in this way.
            code = .corrupted
        } else if text.hasPrefix("Not implemented:") {
            code = .unsupported
        } else {
            code = number.map(CacheError.Code.init(systemError:)) ?? .inputOutput
        }
        // 2 is LevelDB's own number for a corruption, which its messages do not show.
        let engineCode = number.map(Int.init) ?? (code == .corrupted ? 2 : nil)
        return CacheError(code, "LevelDB could not \(operation.rawValue): \(text)", engineCode: engineCode)
    }

    private static var systemErrors: [Int32] {
        [
            ENOSPC, EDQUOT, EFBIG, EACCES, EPERM, EROFS, EAGAIN, ENOENT, ENOTDIR, EISDIR, EIO, EMFILE, ENFILE, ENOLCK,
            ENOMEM, EINVAL,
        ]
    }
}
