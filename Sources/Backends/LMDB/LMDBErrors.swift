import CLMDB
import GroveCache
import GroveModel
import GrovePlatform

extension CacheError {
    /// The error for `status`, LMDB's own or an `errno`; no other place makes errors of ours from LMDB's.
    ///
    /// - Parameter action: what was tried, as it follows "could not": "open the store".
    static func lmdb(_ status: Int32, _ action: String) -> CacheError {
        let (code, advice) = meaning(of: status)
        let text = unsafe mdb_strerror(status).map { unsafe String(cString: $0) } ?? "unknown error"
        return CacheError(code, "could not \(action): \(text)\(advice)", engineCode: Int(status))
    }

    private static func meaning(of status: Int32) -> (Code, String) {
        switch status {
        case MDB_MAP_FULL, MDB_TXN_FULL, MDB_DBS_FULL:
            (.full, "; raise `mapSize` or write less at once")
        case MDB_INVALID:
            (.notAStore, "; the directory holds something else")
        case MDB_VERSION_MISMATCH:
            (.unsupportedFormat, "; the file was written by another version of LMDB")
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL, MDB_PAGE_FULL, MDB_INCOMPATIBLE, MDB_BAD_DBI:
            (.corrupted, "; the file is damaged")
        case MDB_READERS_FULL, MDB_TLS_FULL, MDB_BAD_RSLOT:
            (
                .locked,
                "; every slot of the file `lock.mdb` is taken by a view that a process has open or keeps for its next read: "
                    + "end views and processes, or raise `maxReaders` in the one that opens the store first"
            )
        case MDB_MAP_RESIZED:
            (.locked, "; another process made the store larger, try again when this process has no view open")
        case MDB_BAD_VALSIZE:
            (.tooLarge, "; keys are 1 to 8,192 bytes long")
        case MDB_BAD_TXN:
            (.closed, "; the view or the transaction has ended")
        case EAGAIN:
            (.locked, "; a process of another container has the same process id, by which LMDB knows its readers")
        case EBUSY:
            (.locked, "")
        case ENOMEM:
            (
                .inputOutput,
                "; the process has no room in its addresses for a map of `mapSize` bytes: pass a smaller one, or raise its limit"
            )
        case MDB_PANIC:
            (.inputOutput, "")
        // LMDB's own numbers are negative, and the system's are positive.
        case 1...:
            (Code(systemError: status), Code(systemError: status).systemAdvice)
        default:
            (.other, "")
        }
    }
}
