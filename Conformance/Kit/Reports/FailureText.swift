/// A broken rule in words: what was looked at, what was expected, and what came.
///
/// Checks say so in one sentence, "a value: expected 1, got 2."; this takes it apart for a report.
public struct FailureText: Sendable, Equatable {
    /// What was looked at, or the whole sentence if it does not say what was expected.
    public let subject: String
    /// What was expected; `nil` if the sentence does not say.
    public let expected: String?
    /// What came; `nil` if the sentence does not say.
    public let came: String?

    /// Takes `message` apart.
    public init(_ message: String) {
        let start =
            message.range(of: ": expected ")
            ?? (message.hasPrefix("Expected ")
                ? message.startIndex..<message.index(message.startIndex, offsetBy: 9) : nil)
        guard let start else {
            (subject, expected, came) = (message, nil, nil)
            return
        }
        subject = String(message[..<start.lowerBound])
        let rest = message[start.upperBound...]
        let end = [", got ", ", heard "].compactMap { rest.range(of: $0) }.min { $0.lowerBound < $1.lowerBound }
        guard let end else {
            (expected, came) = (FailureText.bare(rest), nil)
            return
        }
        (expected, came) = (FailureText.bare(rest[..<end.lowerBound]), FailureText.bare(rest[end.upperBound...]))
    }

    private static func bare(_ text: Substring) -> String {
        String(text.hasSuffix(".") && !text.hasSuffix("..") ? text.dropLast() : text)
    }
}

extension String {
    /// Where `text` stands first; the standard library alone has no such method.
    fileprivate func range(of text: String) -> Range<String.Index>? { self[...].range(of: text) }
}

extension Substring {
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}

/// Broken rules that seem to have one cause.
///
/// What is broken below breaks what stands on it: if the harness or the bare store breaks a rule, the rules of the cache
/// above may be broken for that alone. Otherwise rules that ended in the same way, but for numbers and names, are
/// taken to have one cause.
public struct FailureCause: Sendable {
    /// The broken rules, of which the first is the one to look at.
    public let results: [RuleResult]
    /// Whether rules of the harness or of the bare store are broken too, so that this cause may be theirs.
    public let mayFollow: Bool

    /// The causes of what is broken in `results`, the one to look at first before the others.
    public static func causes(of results: [RuleResult]) -> [FailureCause] {
        let broken = results.filter(\.isBroken)
        let hasBase = broken.contains { isBase($0.rule) }
        var keys: [String] = []
        var groups: [String: [RuleResult]] = [:]
        for result in broken.filter({ isBase($0.rule) }) + broken.filter({ !isBase($0.rule) }) {
            let key = "\(isBase(result.rule)) \(result.outcome.rawValue) \(signature(result.message))"
            if groups[key] == nil { keys.append(key) }
            groups[key, default: []].append(result)
        }
        return keys.compactMap { key in
            guard let results = groups[key], let first = results.first else { return nil }
            return FailureCause(results: results, mayFollow: hasBase && !isBase(first.rule))
        }
    }

    private static func isBase(_ rule: Rule) -> Bool { rule.family == "STO" || rule.family == "HAR" }

    /// What `message` has in common with others of one cause: its words without numbers and names.
    static func signature(_ message: String) -> String {
        let text = FailureText(message)
        let end = text.expected.map { "\($0) / \(text.came ?? "")" } ?? text.subject
        let words = end.split { !$0.isLetter && $0 != "/" && !$0.isNumber }
        return words.filter { !$0.contains(where: \.isNumber) }.prefix(12).joined(separator: " ").lowercased()
    }
}
