import CSQLite
import GroveModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension CacheError {
    /// The error for SQLite's `status`: the one place where it becomes an error of ours.
    ///
    /// - Parameters:
    ///   - action: what was tried, as it follows "could not": "open the store".
    ///   - connection: where it happened, for SQLite's own words and the system's error number.
    static func sqlite(_ status: Int32, _ action: String, _ connection: OpaquePointer?) -> CacheError {
        let system = unsafe connection.map { unsafe sqlite3_system_errno($0) } ?? 0
        let words = unsafe sqlite3_errmsg(connection)
        let text = unsafe words.map { unsafe String(cString: $0) } ?? "unknown error"
        let (code, advice) = meaning(of: status, system)
        return CacheError(code, "could not \(action): \(text)\(advice)", engineCode: Int(status))
    }

    /// The error for a failed call of the operating system.
    static func system(_ number: Int32, _ action: String) -> CacheError {
        let text = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "unknown error"
        let (code, advice) = meaning(of: SQLITE_CANTOPEN, number)
        return CacheError(code, "could not \(action): \(text)\(advice)", engineCode: Int(number))
    }

    /// What every call reports after `close()`.
    static var closedStore: CacheError {
        CacheError(.closed, "the store was closed")
    }

    private static func meaning(of status: Int32, _ system: Int32) -> (Code, String) {
        switch status & 0xFF {
        case SQLITE_FULL:
            (.full, "; make room on the disk")
        case SQLITE_IOERR where isFull(system), SQLITE_CANTOPEN where isFull(system):
            (.full, "; make room on the disk")
        case SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH:
            (.permissionDenied, "; make the directory and its files writable for this user")
        case SQLITE_CANTOPEN where system == EACCES || system == EPERM || system == EROFS:
            (.permissionDenied, "; make the directory and its files writable for this user")
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_NOMEM, SQLITE_NOLFS:
            (.inputOutput, "")
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            (.locked, "; another process holds the store")
        case SQLITE_NOTADB:
            (.notAStore, "; the file holds something else")
        case SQLITE_TOOBIG:
            (.tooLarge, "")
        // The statements are ours and constant: one that cannot run says that the tables are not as we made them.
        case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
            (.corrupted, "; the file is damaged")
        default:
            (.other, "")
        }
    }

    private static func isFull(_ system: Int32) -> Bool {
        system == ENOSPC || system == EDQUOT || system == EFBIG
    }
}
