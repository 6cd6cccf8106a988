package import GroveModel
import GrovePlatform

/// Errors that all backends report in the same way.
extension CacheError {
    /// The error for a call of the operating system that failed with `number`.
    ///
    /// - Parameter action: what was tried, as it follows "could not": "list the directory".
    package static func system(_ number: Int32, _ action: String) -> CacheError {
        let code = Code(systemError: number)
        let advice =
            switch number {
            case EROFS: "; the file system is mounted read-only"
            case ENAMETOOLONG: "; take a shorter name or path"
            default: code.systemAdvice
            }
        return CacheError(code, "could not \(action): \(systemWords(number))\(advice)", engineCode: Int(number))
    }

    /// The system's words for `number`, in the language that the host has set.
    package static func systemWords(_ number: Int32) -> String {
        guard let words = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: words)
    }

    /// The error of every call of a store after `close()`.
    package static var closedStore: CacheError { CacheError(.closed, "the store was closed") }
}

extension CacheError.Code {
    /// The code for an `errno`; no other place turns these into codes of ours.
    package init(systemError number: Int32) {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: self = .full
        case EACCES, EPERM, EROFS: self = .permissionDenied
        case ENOTDIR: self = .notAStore
        default: self = .inputOutput
        }
    }

    /// Advice about a failure of the system with this code, to be appended to its message; empty if there is none.
    package var systemAdvice: String {
        switch self {
        case .full: "; make room on the disk"
        case .permissionDenied: "; make the directory and its files writable for this user"
        default: ""
        }
    }
}

extension CacheError {
    /// The error of a store whose layout, or whose own record's format, is of a later version.
    package static func laterVersion(_ number: UInt8) -> CacheError {
        CacheError(
            .unsupportedFormat,
            "the store was written by a later version of Grove (layout \(number)); it is left as it is")
    }
}

/// The number of a backend's layout as its file holds it, once in each of four bytes.
///
/// So damage to one byte does not look like a later version's number.
package enum StoredLayout {
    /// The word in a file of layout `number`, 1 to 127.
    package static func word(_ number: UInt8) -> UInt32 { UInt32(number) * 0x0101_0101 }

    /// Checks that `word`, from a file, is the word of layout `number`.
    ///
    /// - Throws: ``CacheError`` with code `unsupportedFormat` if it is a later layout's, and `corrupted` if it is
    ///   none's.
    package static func check(_ word: UInt32, is number: UInt8) throws(CacheError) {
        if word == self.word(number) { return }
        let found = UInt8(truncatingIfNeeded: word)
        guard found > 0, word == self.word(found) else {
            throw CacheError(.corrupted, "the store says that its layout is \(word), which is none; it is damaged")
        }
        throw .laterVersion(found)
    }
}
