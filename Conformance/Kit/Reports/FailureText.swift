/// The parts of a failed check's message: the subject, the expected value, and the actual value.
///
/// A check's message is one sentence, such as "a value: expected 1, got 2."; a report shows its parts.
package struct FailureText: Sendable, Equatable {
    /// The subject of the check, or the whole sentence if it names no expected value.
    package let subject: String
    /// The expected value; `nil` if the sentence names none.
    package let expected: String?
    /// The actual value; `nil` if the sentence names none.
    package let came: String?

    /// Splits `message` into its parts.
    package init(_ message: String) {
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
    /// The first range of `text`; the standard library without Foundation has no such method.
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

/// A group of broken rules that seem to have one cause.
///
/// Rules whose messages differ only in numbers and names are taken to have one cause. If a rule of the harness or of
/// the bare store is broken, that may be the only reason why rules of the cache are.
package struct FailureCause: Sendable {
    /// The broken rules; a report shows the first of them in full.
    package let results: [RuleResult]
    /// Whether rules of the harness or of the bare store are broken too, so that this may follow from them.
    package let mayFollow: Bool

    /// The causes of the broken rules in `results`; those of the harness and of the bare store come first.
    package static func causes(of results: [RuleResult]) -> [FailureCause] {
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

    /// The part of `message` that rules of one cause share: its first words without numbers and names.
    static func signature(_ message: String) -> String {
        let text = FailureText(message)
        let end = text.expected.map { "\($0) / \(text.came ?? "")" } ?? text.subject
        let words = end.split { !$0.isLetter && $0 != "/" && !$0.isNumber }
        return words.filter { !$0.contains(where: \.isNumber) }.prefix(12).joined(separator: " ").lowercased()
    }
}
