#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Text for people: wrapped, counted, and quoted for a shell.
enum Prose {
    /// `count` with its noun: `1 rule`, `2 rules`.
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// How many rules were skipped for `reason`, such as `needs processes`, which is of one rule.
    static func needs(_ count: Int, _ reason: String, noun: String? = nil) -> String {
        let subject = noun.map { Prose.count(count, $0) } ?? "\(count)"
        guard count != 1, reason.hasPrefix("needs ") else { return "\(subject) \(reason)" }
        return "\(subject) need \(reason.dropFirst(6))"
    }

    /// The words of `text` in lines of at most `width` columns, the first after `first`, the others after as many
    /// spaces.
    ///
    /// A word that is longer than a line stays whole, so that a path can be copied from a terminal.
    static func wrapped(_ text: String, after first: String, width: Int) -> [String] {
        let indent = String(repeating: " ", count: first.count)
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                (line, isEmpty) = (indent, true)
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }

    /// `text` as one word of a shell's command line.
    static func shell(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-_./=+:,@%".utf8.contains(byte)
        }
        if isPlain, !text.isEmpty { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// `duration` in seconds, with one decimal place.
    static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let tenths = (seconds * 10) + (attoseconds + 50_000_000_000_000_000) / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// `text` with spaces up to `width` columns.
    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// How many columns the terminal has: what `COLUMNS` says, at least 40, and 80 if nothing does.
    package static var columns: Int {
        ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }.map { max(40, min($0, 160)) } ?? 80
    }
}
