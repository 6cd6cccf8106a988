import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The terminal behind the standard streams, if there is one.
package enum Terminal {
    /// Whether standard error is a terminal: then progress is shown there.
    static let showsProgress = isatty(STDERR_FILENO) != 0

    /// Whether standard output is a terminal that wants colour.
    package static let hasColour =
        isatty(STDOUT_FILENO) != 0 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Shows `message` in place of the last progress; an empty one clears the line.
    package static func progress(_ message: String) {
        guard showsProgress else { return }
        note("\r\u{1B}[K" + message.prefix(78), terminator: "")
    }

    /// Writes a line to standard error.
    package static func note(_ message: String, terminator: String = "\n") {
        var line: [UInt8] = []
        for byte in (message + terminator).utf8 { line.append(byte) }
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// `text` in bold on a terminal.
    package static func bold(_ text: String) -> String { hasColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    /// `text` in a faint colour on a terminal.
    package static func faint(_ text: String) -> String { hasColour ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}
