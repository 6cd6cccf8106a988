/// What a process that checks rules says of them, one line each: that one begins, and how it ended.
enum RuleMessage: Equatable {
    case begin(String)
    case end(String, RuleResult.Outcome, checks: Int, milliseconds: Int64, message: String)

    /// The line.
    var line: String {
        switch self {
        case .begin(let id): return "begin\t\(id)"
        case .end(let id, let outcome, let checks, let milliseconds, let message):
            let words = message.map { $0 == "\\" ? "\\\\" : $0 == "\n" ? "\\n" : $0 == "\t" ? " " : String($0) }
            return "end\t\(id)\t\(outcome.rawValue)\t\(checks)\t\(milliseconds)\t\(words.joined())"
        }
    }

    /// What `line` says, `nil` if it is something else that the process printed.
    init?(_ line: String) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        switch parts.first {
        case "begin" where parts.count == 2: self = .begin(parts[1])
        case "end" where parts.count == 6:
            guard let outcome = RuleResult.Outcome(rawValue: parts[2]), let checks = Int(parts[3]),
                let milliseconds = Int64(parts[4])
            else { return nil }
            self = .end(
                parts[1], outcome, checks: checks, milliseconds: milliseconds, message: RuleMessage.read(parts[5]))
        default: return nil
        }
    }

    private static func read(_ text: String) -> String {
        var read = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                read.append(character == "n" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                read.append(character)
            }
        }
        return read
    }
}
