package import GroveModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What backends report alike.
extension CacheError {
    /// The error for a call of the operating system that failed with `number`.
    ///
    /// - Parameter action: what was tried, as it follows "could not": "list the directory".
    package static func system(_ number: Int32, _ action: String) -> CacheError {
        let code = Code(systemError: number)
        return CacheError(
            code, "could not \(action): \(systemWords(number))\(code.systemAdvice)", engineCode: Int(number))
    }

    /// The system's words for `number`, in the language that the host has set.
    package static func systemWords(_ number: Int32) -> String {
        guard let words = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: words)
    }

    /// What every call of a store reports after `close()`.
    package static var closedStore: CacheError { CacheError(.closed, "the store was closed") }
}

extension CacheError.Code {
    /// The code for an `errno`: the one place where these become codes of ours.
    package init(systemError number: Int32) {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: self = .full
        case EACCES, EPERM, EROFS: self = .permissionDenied
        case ENOTDIR: self = .notAStore
        default: self = .inputOutput
        }
    }

    /// What to do about a failure of the system with this code, to follow what happened; empty where nobody can say.
    package var systemAdvice: String {
        switch self {
        case .full: "; make room on the disk"
        case .permissionDenied: "; make the directory and its files writable for this user"
        default: ""
        }
    }
}

extension CacheError {
    /// What a store reports whose layout, or own record's format, has a number that this version does not know.
    package static func unknownLayout(_ number: some FixedWidthInteger) -> CacheError {
        guard number.isVersion else {
            return CacheError(.corrupted, "the store says that its layout is \(number), which is none; it is damaged")
        }
        return CacheError(
            .unsupportedFormat,
            "the store was written by a later version of Grove (layout \(number)); it is left as it is")
    }
}

extension FixedWidthInteger {
    /// Whether this may be the number of a layout or format of ours: one with an odd count of one bits, as 1, 2, 4, 7 and 8.
    ///
    /// So one flipped bit makes no version's number of another's, and is found to be damage. What a later version wrote is
    /// left as it is.
    var isVersion: Bool { self > 0 && nonzeroBitCount % 2 == 1 }
}
