import Foundation
import GroveCompare
import Testing

@Suite("Comparing backends", .enabled(if: ToolProcess.executable != nil, "needs the built executable"))
struct CompareTests {
    @Test("Every workload is measured against its floor: other backends", arguments: ["memory", "sqlite", "leveldb"])
    func slowEveryWorkload(backend: String) throws { try everyWorkload(backend: backend) }

    @Test("Every workload is measured against its floor", arguments: ["lmdb"])
    func everyWorkload(backend: String) throws {
        let outcome = try ToolProcess.run(
            ["compare", "--nodes", "220", "--backend", backend, "--format", "json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try JSONParser.parse(outcome.output)
        #expect(report["machine"]?["cores"] != nil)
        guard case .array(let results)? = report["results"], case .array(let footprints)? = report["footprint"] else {
            Issue.record("the report has no results or no footprint")
            return
        }
        let names = results.filter { $0["coding"]?.text == "specialised" }.compactMap { $0["workload"]?.text }
        #expect(Set(names) == Set(Workload.allCases.map(\.rawValue)) && names.count == Workload.allCases.count)
        let (latencies, floor) = (
            ["p50us", "p99us", "p999us"], ["floorOpsPerSecond", "tax", "extraMicrosecondsPerNode"]
        )
        for result in results {
            // Threads side by side are not timed call by call, and durable commits have no floor.
            let isTimed = result["workload"]?.text != Workload.readThreads.rawValue
            let hasFloor = result["workload"]?.text != Workload.writeDurable.rawValue
            for key in ["opsPerSecond"] + (isTimed ? latencies : []) + (hasFloor ? floor : []) {
                switch result[key] {
                case .integer?, .double?: break
                default: Issue.record("\(result["workload"]?.text ?? "") has no number \(key)")
                }
            }
            #expect(result["backend"]?.text == backend)
        }
        #expect(footprints.count == 1)
        for key in ["openMilliseconds"]
            + (backend == "memory" ? [] : ["floorOpenMilliseconds", "killedOpenMilliseconds"])
        {
            switch footprints[0][key] {
            case .integer?, .double?: break
            default: Issue.record("the footprint has no number \(key)")
            }
        }
    }

    @Test("A budget is kept by every workload", arguments: ["memory", "lmdb", "sqlite", "leveldb"])
    func slowBudget(backend: String) throws {
        let outcome = try ToolProcess.run(
            [
                "compare", "--nodes", "220", "--backend", backend, "--budget", "20000000", "--coding",
                "specialised",
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("budget 20,000,000 bytes") && outcome.output.contains("set-model"))
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test(
        "A document is measured in both codings, in every workload, with and without a budget",
        arguments: ["memory", "lmdb", "sqlite", "leveldb"], [nil, "20000000"] as [String?])
    func slowDocument(backend: String, budget: String?) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("grove-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (input, rules) = (directory.appendingPathComponent("in.json"), directory.appendingPathComponent("id.json"))
        try Data(
            #"{"messages": [{"id": 1, "text": "a", "sender": {"id": 7, "name": "x"}}, {"id": 2, "text": "b"}]}"#.utf8
        ).write(to: input)
        try Data(
            #"{"rules": [{"field": "messages", "type": "M", "id": "id"}, {"field": "sender", "type": "P", "id": "id"}]}"#
                .utf8
        ).write(to: rules)
        let outcome = try ToolProcess.run(
            [
                "compare", "--input", input.path, "--identity", rules.path, "--backend", backend,
                "--coding", "specialised", "--coding", "codable", "--format", "json",
            ] + (budget.map { ["--budget", $0] } ?? []))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try JSONParser.parse(outcome.output)
        #expect(report["dataSet"]?.text?.contains("2 trees, 3 nodes") == true)
        #expect(report["budget"]?.description == budget ?? "null")
        guard case .array(let results)? = report["results"] else {
            Issue.record("the report has no results")
            return
        }
        for coding in ["specialised", "codable"] {
            let rows = results.filter { $0["coding"]?.text == coding }
            #expect(rows.compactMap { $0["workload"]?.text } == Workload.allCases.map(\.rawValue), "\(coding)")
        }
        #expect(results.count == 2 * Workload.allCases.count)
    }

    @Test("A document is measured in both codings where none is named, the second where it shows")
    func codingsOfDocument() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("grove-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (input, rules) = (directory.appendingPathComponent("in.json"), directory.appendingPathComponent("id.json"))
        try Data(#"{"messages": [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]}"#.utf8).write(to: input)
        try Data(#"{"rules": [{"field": "messages", "type": "M", "id": "id"}]}"#.utf8).write(to: rules)
        let document = ["--input", input.path, "--identity", rules.path, "--backend", "memory"]
        let chosen = ["--workload", "read-node", "--workload", "delete", "--format", "csv"]
        func rows(_ more: String...) throws -> [String] {
            let outcome = try ToolProcess.run(["compare"] + document + chosen + more)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.output.split(separator: "\n").dropFirst().map {
                $0.split(separator: ",").prefix(3).joined(separator: " ")
            }
        }
        #expect(
            try rows() == ["memory read-node specialised", "memory delete specialised", "memory read-node codable"])
        #expect(try rows("--coding", "codable") == ["memory read-node codable", "memory delete codable"])
        #expect(try rows("--coding", "specialised") == ["memory read-node specialised", "memory delete specialised"])
    }

    @Test(
        "A short month of a shifting working set stays within its budget: other backends",
        arguments: ["memory", "lmdb", "sqlite"])
    func slowChurn(backend: String) throws { try churn(backend: backend) }

    @Test("A short month of a shifting working set stays within its budget", arguments: ["leveldb"])
    func churn(backend: String) throws {
        let outcome = try ToolProcess.run(
            [
                "compare", "--workload", "churn", "--backend", backend, "--budget", "6000000", "--writes", "24000",
                "--days", "6",
            ])
        // A store that took more than its budget would make it fail.
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        let row = try #require(outcome.output.split(separator: "\n").first { $0.hasPrefix(backend) })
        let cells = row.split(separator: " ", omittingEmptySubsequences: true)
        #expect(cells.count == 11 && Double(cells[1]) ?? 7 <= 6, "\(row)")
        // Most of what is read is recent, and is kept; and something was evicted, so that something is shown.
        let hits = try #require(Double(cells[5]))
        #expect(hits > 60 && hits < 99, "\(row)")
    }

    @Test("A table fits into 80 columns and says what its words mean")
    func table() throws {
        let outcome = try ToolProcess.run(
            ["compare", "--nodes", "220", "--backend", "memory", "--workload", "read-*"])
        #expect(outcome.status == 0)
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(outcome.output.contains("over = how many times as fast the bare engine is"))
        #expect(!outcome.output.contains("write-batch") && !outcome.output.contains("\u{1B}"))
    }

    @Test(
        "A transaction is held against single calls and batches, a stream against a scan",
        arguments: ["memory", "leveldb"])
    func transactionsAndStreams(backend: String) throws {
        let chosen = ["--workload", "transaction", "--workload", "stream", "--backend", backend, "--format", "json"]
        func measured(_ more: String...) throws -> [String: JSON] {
            let outcome = try ToolProcess.run(["compare", "--nodes", "1100"] + chosen + more)
            #expect(outcome.status == 0, "\(outcome.errors)")
            guard case .array(let results)? = try JSONParser.parse(outcome.output)["results"] else { return [:] }
            return Dictionary(results.map { ($0["workload"]?.text ?? "", $0) }) { first, _ in first }
        }
        let results = try measured()
        #expect(results.count == 2)
        let note = try #require(results["transaction"]?["note"]?.text)
        #expect(note.hasSuffix("times the same in batches") && !note.contains("budget"), "\(note)")
        #expect(results["stream"]?["note"]?.text?.contains("scan") == true)
        #expect(results["stream"]?["samples"]?.description == "1000", "a sample for each message")
        // A transaction may change a quarter of a budget: 500 calls fit into one of 20 MB.
        let bounded = try measured("--budget", "20000000")["transaction"]?["note"]?.text
        #expect(bounded.map { $0.hasSuffix("times the same in batches") && !$0.contains("budget") } == true)
    }

    @Test("A page is held against single reads, an append to a long list against one to a short", arguments: ["memory"])
    func pagesAndAppends(backend: String) throws {
        let outcome = try ToolProcess.run(
            [
                "compare", "--nodes", "220", "--workload", "page", "--workload", "append", "--backend",
                backend, "--coding", "specialised", "--format", "json",
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        guard case .array(let results)? = try JSONParser.parse(outcome.output)["results"] else {
            Issue.record("the report has no results")
            return
        }
        #expect(
            results.map { $0["note"]?.text } == [
                "of 10,000 elements; floor: single reads in one view", "to 10,000 elements; floor: to 100",
            ])
        #expect(
            results.map { $0["samples"]?.description } == ["20", "150"],
            "a sample for each page of the first repetition, and for each append of all three")
    }

    @Test("A stream passes over the trees of a document that hold each other in a circle")
    func streamOfCircles() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("grove-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (input, rules) = (directory.appendingPathComponent("in.json"), directory.appendingPathComponent("id.json"))
        try Data(
            #"{"all": [{"id": 1, "next": {"id": 2, "next": {"id": 1}}}, {"id": 3}, {"id": 4, "next": {"id": 3}}]}"#.utf8
        ).write(to: input)
        try Data(#"{"rules": [{"field": "*", "type": "M", "id": "id"}]}"#.utf8).write(to: rules)
        let outcome = try ToolProcess.run(
            [
                "compare", "--input", input.path, "--identity", rules.path, "--backend", "memory",
                "--workload", "stream", "--workload", "transaction", "--format", "json",
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        guard case .array(let results)? = try JSONParser.parse(outcome.output)["results"] else {
            Issue.record("the report has no results")
            return
        }
        #expect(results.first { $0["workload"]?.text == "stream" }?["samples"]?.description == "2")
    }

    @Test("The engine's workloads need no backend, and say how long the main actor was held")
    func consistency() throws {
        let outcome = try ToolProcess.run(
            ["compare", "--workload", "consistency-wide-1000", "--workload", "consistency-collection-100"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(outcome.output.contains("wide-1000") && outcome.output.contains("main us"))
        #expect(!outcome.output.contains("footprint"))
    }

    @Test("A commit is measured with managers that hold none or all of it too")
    func slowFollowing() throws { try following(["consistency-follow-*"], ["alone", "none", "3", "all"]) }

    @Test("A commit is measured without a manager, and with one that holds some of it")
    func following() throws { try following(["consistency-follow-alone", "consistency-follow-3"], ["alone", "3"]) }

    private func following(_ workloads: [String], _ expected: [String]) throws {
        let outcome = try ToolProcess.run(["compare"] + workloads.flatMap { ["--workload", $0] })
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        let rows = outcome.output.split(separator: "\n").filter { $0.hasPrefix("follow-") }
            .map { $0.split(separator: " ") }
        #expect(rows.map { $0[0] } == expected.map { "follow-\($0)" })
        for row in rows {
            let figures = row.dropFirst().prefix(3).map { figure in String(figure.filter { $0 != "," }) }
            #expect(figures.allSatisfy { Double($0) ?? 0 > 0 }, "\(figures)")
        }
    }

    @Test("A cache of many machines is measured in a checkout alone, and the tool says so elsewhere")
    func shared() throws {
        let tool = try #require(ToolProcess.executable)
        let outcome = try ToolProcess.run(["-c", "cd / && exec '\(tool)' compare --for shared"], of: "/bin/sh")
        #expect(outcome.status != 0 && outcome.errors.contains("run it in a checkout of Grove"), "\(outcome.errors)")
        let asked = try ToolProcess.run(["compare", "--for", "shared", "--format", "json"])
        #expect(asked.status != 0 && asked.errors.contains("by itself"), "\(asked.errors)")
    }

    @Test("The list fits into 80 columns")
    func list() throws {
        let outcome = try ToolProcess.run(["compare", "--list"])
        #expect(outcome.status == 0 && outcome.output.contains("reader-stall"))
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test("A short run prints the answer and a table of uses, within 80 columns, and no other figures")
    func answer() throws {
        let outcome = try ToolProcess.run(
            [
                "compare", "--nodes", "220", "--for", "catalogue,bulk", "--needs", "processes,kill", "--directory",
                NSTemporaryDirectory(),
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
        let words = outcome.output.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
        #expect(words.contains("Left out, as they do not meet what is needed: memory (processes, kill)"))
        #expect(lines.contains { $0.hasPrefix("calls/s") && $0.contains("catalogue") && $0.contains("bulk") })
        #expect(lines.contains { $0.hasPrefix("sqlite") && $0.contains("a kill") })
        #expect(!outcome.output.contains("p99") && !outcome.output.contains("\u{1B}"))
    }

    @Test(
        "A need or a use that is not known, or that nothing meets, ends with 2 and one line",
        arguments: [["--needs", "wings"], ["--needs", "ios,power"], ["--for", "chess"], ["--mix", "reads=much"]])
    func mistakes(arguments: [String]) throws {
        let outcome = try ToolProcess.run(["compare", "--nodes", "220"] + arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errorLines.count == 1, "\(outcome.errors)")
    }
}
