/// Rules that do what no rule should, for the test of those who run rules; `grove conformance --self-test` runs them.
enum BadRules {
    static let all = [
        Rule("TST-01", "It traps.", because: "The run must go on.") { trial in
            try trial.expect(true, "")
            fatalError("on purpose")
        },
        Rule("TST-02", "It holds.", because: "It comes after one that trapped.") { try $0.expect(true, "") },
        Rule("TST-03", "It hangs.", because: "The run must go on.", timeLimit: .seconds(1)) { _ in
            let gate = CommitGate()
            gate.close()
            gate.pass()
        },
        Rule("TST-04", "It fails.", because: "It comes after one that hung.") { try $0.expect(false, "a\\ b\n\\c") },
    ]
}
