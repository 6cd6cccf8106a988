import GroveCompare

/// What the command line of a comparison with one's own backend asks for.
struct CompareRequest {
    /// A mistake on the command line.
    struct Failure: Error {
        let text: String
    }

    enum Format: String, CaseIterable {
        case table
        case json
        case html
        case markdown
    }

    var isHelp = false
    var uses = Use.standard
    /// Grove's backends that take part.
    var beside = BackendName.allCases
    var hasDetails = false
    var isFull = false
    var checksRules = true
    var nodes = 22_000
    var seed: UInt64 = 1
    var format = Format.table
    var output: String?
    var directory: String?

    /// Those that the uses are made of, or all for the details.
    var workloads: [Workload] {
        Workload.allCases.filter { workload in
            hasDetails || isFull || uses.contains { $0.workloads.contains(workload) }
        }
    }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            // --name=value is --name value.
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0]
            func value<Value>(_ parse: (String) throws -> Value?) throws -> Value {
                guard let text = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw Failure(text: "\(name) needs a value; --help says which")
                }
                guard let value = try parse(text) else {
                    throw Failure(text: "\(name) does not take \(text); see --help")
                }
                return value
            }
            switch name {
            case "--help", "-h": isHelp = true
            case "--for": uses = try value { try named($0) }
            case "--beside":
                beside = try value { text in
                    try text.split(separator: ",").map { word in
                        guard let backend = BackendName(rawValue: String(word)) else {
                            throw Failure(text: "--beside takes memory, lmdb, sqlite and leveldb, not \(word)")
                        }
                        return backend
                    }
                }
            case "--details": hasDetails = true
            case "--full": (isFull, hasDetails) = (true, true)
            case "--no-rules": checksRules = false
            case "--nodes": nodes = try value { Int($0).flatMap { $0 >= 2 ? $0 : nil } }
            case "--seed": seed = try value { UInt64($0) }
            case "--format": format = try value { Format(rawValue: $0) }
            case "--output": output = try value { $0 }
            case "--directory": directory = try value { $0 }
            default: throw Failure(text: "there is no option \(name); --help shows them")
            }
        }
    }

    private func named(_ text: String) throws -> [Use] {
        do {
            return try Use.named([text])
        } catch {
            throw Failure(text: "\(error)")
        }
    }

    /// The report as it was asked for.
    func text(_ report: CompareReport) -> String {
        switch format {
        case .table: report.table
        case .json: String(decoding: JSONPrinter.print(report.json, indentation: 2), as: UTF8.self)
        case .html: report.page.html
        case .markdown: report.page.markdown
        }
    }

    /// What `--help` prints, for the executable of that name and backend.
    static func help(_ program: String, _ backend: String) -> String {
        """
        Checks the backend \(backend) by the rules of Grove's conformance kit, and then
        measures it beside Grove's own backends.

        USAGE
          \(program) [options]

        WHAT IS MEASURED
          --for USES       what an application does, such as feed,chat
          --beside NAMES   Grove's backends that take part; lmdb,sqlite for example
          --nodes NUMBER   distinct nodes to generate; 22,000 by default
          --seed NUMBER    of the data and of the order of operations
          --full           every workload, more and longer repetitions
          --no-rules       measure without checking the rules
          --directory DIR  where temporary stores are made

        WHAT IS PRINTED
          --details        all figures
          --format NAME    \(Format.allCases.map(\.rawValue).joined(separator: ", "))
          --output FILE    write there instead of standard output

        USES
        \(Use.all.map { "  \($0.name)\(String(repeating: " ", count: max(17 - $0.name.count, 1)))\($0.summary)" }.joined(separator: "\n"))

        EXIT STATUS
          0 all was measured and the backend conforms; 1 it does not, or could not be
          measured; 2 the call was wrong; 130 interrupted.

        """
    }
}
