import CSQLite
import GroveCache
import GroveModel

extension CacheError {
    /// The error for SQLite's `status`; no other place makes errors of ours from it.
    ///
    /// - Parameters:
    ///   - action: what was tried, as it follows "could not": "open the store".
    ///   - connection: the connection that failed, for SQLite's own words and the system's error number.
    static func sqlite(_ status: Int32, _ action: String, _ connection: OpaquePointer?) -> CacheError {
        let system = unsafe connection.map { unsafe sqlite3_system_errno($0) } ?? 0
        let words = unsafe sqlite3_errmsg(connection)
        let text = unsafe words.map { unsafe String(cString: $0) } ?? "unknown error"
        let (code, advice) = meaning(of: status, system)
        return CacheError(code, "could not \(action): \(text)\(advice)", engineCode: Int(status))
    }

    private static func meaning(of status: Int32, _ system: Int32) -> (Code, String) {
        let beneath = Code(systemError: system)
        return switch status & 0xFF {
        case SQLITE_FULL:
            (.full, Code.full.systemAdvice)
        case SQLITE_IOERR where beneath == .full, SQLITE_CANTOPEN where beneath == .full:
            (.full, Code.full.systemAdvice)
        case SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH:
            (.permissionDenied, Code.permissionDenied.systemAdvice)
        case SQLITE_CANTOPEN where beneath == .permissionDenied:
            (.permissionDenied, Code.permissionDenied.systemAdvice)
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_NOMEM, SQLITE_NOLFS:
            (.inputOutput, "")
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            (.locked, "; another process holds the store")
        case SQLITE_NOTADB:
            (.notAStore, "; the file holds something else")
        case SQLITE_TOOBIG:
            (.tooLarge, "")
        // The statements are our own constants: if one cannot run, the tables are not as we made them.
        case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
            (.corrupted, "; the file is damaged")
        default:
            (.other, "")
        }
    }
}
