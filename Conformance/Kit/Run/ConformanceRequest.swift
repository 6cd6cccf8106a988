/// What the command line of a backend author's executable asks for.
struct ConformanceRequest {
    var console = ConformanceConsole()
    var output: String?
    var isList = false
    var isHelp = false
    var minutes: Double?
    var replay: String?

    init(_ arguments: [String]) throws(CheckFailure) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            // --name=value is --name value.
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0]
            var given = word.hasPrefix("--") && parts.count == 2 ? parts[1] : nil
            func flag() throws(CheckFailure) {
                if given != nil { throw CheckFailure("\(name) takes no value") }
            }
            func value() throws(CheckFailure) -> String {
                if given == nil { given = rest.popFirst() }
                guard let given else { throw CheckFailure("\(name) needs a value; --help says which") }
                return given
            }
            func parsed<Value>(_ parse: (String) -> Value?) throws(CheckFailure) -> Value {
                let text = try value()
                guard let value = parse(text) else { throw CheckFailure("\(name) does not take \(text); see --help") }
                return value
            }
            switch name {
            case "--help", "-h":
                try flag()
                isHelp = true
            case "--list":
                try flag()
                isList = true
            case "--failed":
                try flag()
                console.isOfFailed = true
            case "--fail-fast":
                try flag()
                console.isFailingFast = true
            case "--quiet", "-q":
                try flag()
                console.detail = .quiet
            case "--verbose", "-v":
                try flag()
                console.detail = .verbose
            case "--rule": console.globs.append(try value())
            case "--seed": console.seed = try parsed { UInt64($0) }
            case "--format": console.format = try parsed { ReportFormat(rawValue: $0) }
            case "--output": output = try value()
            case "--soak": minutes = try parsed { Double($0).flatMap { $0 > 0 ? $0 : nil } }
            case "--replay": replay = try value()
            default: throw CheckFailure("there is no option \(name); --help shows them")
            }
        }
    }

    /// What `--help` prints, for the executable of that name and backend.
    static func help(_ program: String, _ backend: String) -> String {
        """
        Checks the backend \(backend) by the rules of Grove's conformance kit.

        USAGE
          \(program) [options]

        WHAT IS CHECKED
          --rule GLOB      only rules whose identifiers match, such as STO-05 or 'DEL-*';
                           repeatable
          --failed         only rules that were broken the last time
          --fail-fast      stop at the first broken rule
          --seed NUMBER    the seed that a report printed: the run is the same again
          --replay FILE    run the program that a broken rule saved, and nothing else
          --soak MINUTES   try random programs, kills and faults for so long instead

        WHAT IS PRINTED
          --list           the rules, and check nothing
          --quiet          what is broken, and the verdict
          --verbose        also a line for each rule
          --format NAME    \(ReportFormat.allCases.map(\.rawValue).joined(separator: ", "))
          --output FILE    write there instead of standard output

        Ctrl-C ends a run and prints what is there.

        EXIT STATUS
          0 what was asked holds; 1 a rule that must hold is broken; 2 nothing was
          checked, or the call was wrong; 130 interrupted.

        """
    }
}
