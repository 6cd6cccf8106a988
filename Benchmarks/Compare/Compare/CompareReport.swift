/// Everything that was measured.
package struct CompareReport: Sendable {
    /// What the figures are of, in words.
    var dataSet: String
    /// Bytes on disk that each cache may take; `nil` without a limit.
    var budget: Int?
    /// Whether the stores were on a file system in memory.
    var isInMemory = false
    var results: [CompareResult] = []
    var footprints: [Footprint] = []
    var checks: [FloorCheck] = []
    var consistency: [ConsistencyResult] = []
    /// The uses that were asked for.
    package var uses: [Use] = Use.standard
    /// Which backends were left out, and why, in sentences.
    package var exclusions: [String] = []
    /// Backends that break a rule of the kit that must hold: they are shown, and never recommended.
    package var wrong: Set<BackendName> = []
    /// Whether the user ended the run before everything was measured.
    package var isInterrupted = false
    /// Whether the tool was compiled with optimisation.
    var isOptimised = Machine.isOptimised
    /// Whether the tables of all figures are printed too.
    package var hasDetails = true
    /// What an empty round trip to the main actor took, in milliseconds.
    var roundTrip = 0.0
    /// The line that makes such a report.
    package var command = "grove compare"
    /// What was measured beside Grove, if that was asked for.
    package var peers: PeersTable?

    /// What was measured, Grove's own first.
    var backends: [BackendName] {
        let measured = Set(results.map(\.backend))
        let others = measured.subtracting(BackendName.allCases).sorted { $0.rawValue < $1.rawValue }
        return BackendName.allCases.filter(measured.contains) + others
    }

    /// Whether some floor was too slow for the figures over it to mean anything.
    package var isVoid: Bool { results.contains { $0.isVoid } }

    /// Of nothing yet.
    package init() { dataSet = "" }
}

extension CompareReport {
    // MARK: JSON

    package var json: JSON {
        [
            "machine": Machine.json, "dataSet": .string(dataSet), "budget": budget.map { JSON($0) } ?? .null,
            "interrupted": .bool(isInterrupted), "answer": CompareAnswer(self).map { .string($0.answer) } ?? .null,
            "void": .bool(isVoid),
            "results": .array(results.map(\.json)), "footprint": .array(footprints.map(\.json)),
            "floor": .array(checks.map(\.json)), "consistency": .array(consistency.map(\.json)),
            "roundTripMilliseconds": .rounded(roundTrip),
        ]
    }

    // MARK: CSV

    package var csv: String {
        var lines = [
            "backend,workload,coding,unit,opsPerSecond,p50us,p99us,p999us,floorOpsPerSecond,tax,extraUsPerNode,void"
        ]
        for result in results {
            let numbers = [
                result.operationsPerSecond, result.latencies.quantile(0.5), result.latencies.quantile(0.99),
                result.latencies.quantile(0.999), result.floorOperationsPerSecond, result.tax,
                result.extraMicrosecondsPerNode,
            ].map { $0.map { JSON.rounded($0).description } ?? "" }
            lines.append(
                ([result.backend.rawValue, result.workload.rawValue, result.coding, result.workload.unit] + numbers
                    + [String(result.isVoid)]).joined(separator: ","))
        }
        guard !consistency.isEmpty else { return lines.joined(separator: "\n") }
        if results.isEmpty { lines = [] } else { lines.append("") }
        lines.append("workload,addMs,changeMs,mainActorUs,addCpuMs,changeCpuMs,commitMs")
        for result in consistency {
            let numbers = [
                result.add, result.change, result.held, result.addProcessor, result.changeProcessor, result.commit,
            ].map { $0.isEmpty ? "" : JSON.rounded($0.median).description }
            lines.append(([result.workload.rawValue] + numbers).joined(separator: ","))
        }
        return lines.joined(separator: "\n")
    }

    // MARK: Table

    package var table: String {
        var parts = [CompareAnswer(self)?.text].compactMap(\.self)
        if !parts.isEmpty, !hasDetails { return parts[0] }
        for backend in backends {
            parts.append(section(backend))
        }
        if !consistency.isEmpty { parts.append(ConsistencyResult.table(consistency, roundTrip: roundTrip)) }
        guard !results.isEmpty else { return parts.joined(separator: "\n\n") }
        parts.append(footprintTable)
        var notes = [
            "over = how many times as fast the bare engine is, called from C, same bytes",
            "+us = microseconds that a node takes beyond the bare engine's",
            "read-threads, read-deep, page, stream, model-for-key, set-model, backlog,",
            "burst, append, transaction: beside Grove's own other way",
            "first write = of one tree after opening, without a budget and within one",
            "ops/s count the unit beside them; latencies are of one call, in microseconds",
            "data: \(dataSet)" + (budget.map { ", budget \($0.grouped) bytes" } ?? ""),
        ]
        notes += resultNotes
        parts.append(notes.joined(separator: "\n"))
        return parts.joined(separator: "\n\n")
    }

    /// A line for each note on a workload, with the backends that it is about.
    private var resultNotes: [String] {
        var notes: [(workload: Workload, text: String, backends: [BackendName])] = []
        for result in results {
            guard let text = result.note else { continue }
            guard let index = notes.firstIndex(where: { $0.workload == result.workload && $0.text == text }) else {
                notes.append((result.workload, text, [result.backend]))
                continue
            }
            if !notes[index].backends.contains(result.backend) { notes[index].backends.append(result.backend) }
        }
        let all = self.backends
        return notes.map { workload, text, backends in
            let names = backends.count == all.count ? [] : backends.map(\.rawValue)
            return (names + [workload.rawValue]).joined(separator: " ") + ": " + text
        }
    }

    private func section(_ backend: BackendName) -> String {
        var table = TextTable(
            [Workload.header, "coding", "ops/s", "unit", "over", "+us", "p50", "p99", "p99.9"],
            alignment: [.left, .left, .right, .left, .right, .right, .right, .right, .right])
        for result in results where result.backend == backend {
            table.append(result.row)
            if let beside = result.besideOneNodeWrites {
                table.append(
                    ["  beside 1-node", "", "", "", "", ""]
                        + [0.5, 0.99, 0.999].map { beside.quantile($0).map(CompareResult.short) ?? "-" })
            }
        }
        var text = Terminal.bold(backend.rawValue) + "  " + Terminal.faint(Floor.version(backend)) + "\n"
        text += table.description
        if results.contains(where: { $0.isVoid && $0.backend == backend }) {
            let limit = FloorCheck.threshold(backend)
            text += "\n* VOID: the bare engine stayed below \(CompareResult.short(limit.puts)) puts or "
            text += "\(CompareResult.short(limit.gets)) gets a second in batches,"
            text += "\n  a third of what it should do: the machine is too slow or too busy to judge by"
        }
        for result in results where result.backend == backend {
            guard result.workload == .readerStall, let slowest = result.latencies.maximum else { continue }
            let beside = result.besideOneNodeWrites?.maximum.map(CompareResult.short) ?? "-"
            text += "\nslowest read beside 10,000-node commits \(CompareResult.short(slowest)) us,"
            text += " beside one-node commits \(beside) us"
        }
        return text
    }

    private var footprintTable: String {
        var table = TextTable(
            ["footprint", "records", "MB disk", "B/rec", "heap B/rec", "open ms", "raw", "killed"],
            alignment: [.left, .right, .right, .right, .right, .right, .right, .right])
        for footprint in footprints {
            table.append([
                footprint.backend.rawValue, footprint.nodes.grouped, (Double(footprint.bytesOnDisk) / 1e6).fixed(1),
                (Double(footprint.bytesOnDisk) / Double(max(footprint.nodes, 1))).fixed(0),
                (Double(footprint.residentBytes) / Double(max(footprint.nodes, 1))).fixed(0),
                footprint.openMilliseconds.fixed(2), footprint.floorOpenMilliseconds?.fixed(2) ?? "-",
                footprint.killedOpenMilliseconds?.fixed(2) ?? "-",
            ])
        }
        var costs = TextTable(
            ["filling it", "most MB", "written a byte", "first write, ms", "in a budget, ms"],
            alignment: [.left, .right, .right, .right, .right])
        for footprint in footprints {
            costs.append([
                footprint.backend.rawValue, (Double(footprint.peakBytes) / 1e6).fixed(1),
                footprint.writtenPerByte?.fixed(1) ?? "-", footprint.firstWriteMilliseconds?.fixed(2) ?? "-",
                footprint.firstBudgetedWriteMilliseconds?.fixed(2) ?? "-",
            ])
        }
        return table.description + "\n\n" + costs.description
    }
}

extension Workload {
    fileprivate static let header = "workload"
}

extension CompareResult {
    /// The row of the table.
    fileprivate var row: [String] {
        [
            workload.rawValue, coding == "specialised" ? "typed" : coding, CompareResult.short(operationsPerSecond),
            workload.unit, (tax?.fixed(2) ?? "-") + (isVoid ? "*" : ""),
            extraMicrosecondsPerNode.map(CompareResult.short) ?? "-",
        ] + [0.5, 0.99, 0.999].map { latencies.quantile($0).map(CompareResult.short) ?? "-" }
    }

    /// The number in three digits or so: 1.62M, 431k, 12.5, 0.48.
    static func short(_ value: Double) -> String {
        switch value {
        case 999_500...: (value / 1e6).fixed(2) + "M"
        case 9_995...: (value / 1e3).fixed(0) + "k"
        case 999.5...: (value / 1e3).fixed(1) + "k"
        case 99.5...: value.fixed(0)
        case 9.95...: value.fixed(1)
        default: value.fixed(2)
        }
    }

    fileprivate var json: JSON {
        var members = [
            JSONMember("backend", .string(backend.rawValue)), JSONMember("workload", .string(workload.rawValue)),
            JSONMember("coding", .string(coding)), JSONMember("unit", .string(workload.unit)),
            JSONMember("opsPerSecond", .rounded(operationsPerSecond)),
        ]
        members += latencies.members
        members += [
            JSONMember("floorOpsPerSecond", floorOperationsPerSecond.map { .rounded($0) } ?? .null),
            JSONMember("tax", tax.map { .rounded($0) } ?? .null),
            JSONMember("extraMicrosecondsPerNode", extraMicrosecondsPerNode.map { .rounded($0) } ?? .null),
            JSONMember("pace", .rounded(pace)), JSONMember("void", .bool(isVoid)),
        ]
        if let besideOneNodeWrites {
            members.append(JSONMember("besideOneNodeWrites", .object(besideOneNodeWrites.members)))
        }
        if let floorLatencies { members.append(JSONMember("floorLatencies", .object(floorLatencies.members))) }
        if let note { members.append(JSONMember("note", .string(note))) }
        return .object(members)
    }
}

extension Latencies {
    fileprivate var members: [JSONMember] {
        func number(_ value: Double?) -> JSON { value.map { .rounded($0) } ?? .null }
        return [
            JSONMember("p50us", number(quantile(0.5))), JSONMember("p99us", number(quantile(0.99))),
            JSONMember("p999us", number(quantile(0.999))), JSONMember("maxus", number(maximum)),
            JSONMember("samples", JSON(count)),
        ]
    }
}

extension Footprint {
    fileprivate var json: JSON {
        [
            "backend": .string(backend.rawValue), "bytesOnDisk": JSON(bytesOnDisk),
            "residentBytes": JSON(residentBytes), "openMilliseconds": .rounded(openMilliseconds),
            "floorOpenMilliseconds": floorOpenMilliseconds.map { .rounded($0) } ?? .null,
            "killedOpenMilliseconds": killedOpenMilliseconds.map { .rounded($0) } ?? .null,
            "nodes": JSON(nodes), "payloadBytes": JSON(payloadBytes), "peakBytes": JSON(peakBytes),
            "writtenPerByte": writtenPerByte.map { .rounded($0) } ?? .null,
            "firstWriteMilliseconds": firstWriteMilliseconds.map { .rounded($0) } ?? .null,
            "firstBudgetedWriteMilliseconds": firstBudgetedWriteMilliseconds.map { .rounded($0) } ?? .null,
        ]
    }
}

extension FloorCheck {
    fileprivate var json: JSON {
        [
            "backend": .string(backend.rawValue), "putsPerSecond": .rounded(putsPerSecond),
            "getsPerSecond": .rounded(getsPerSecond), "void": .bool(slowPuts || slowGets),
            "leastPutsPerSecond": .rounded(FloorCheck.threshold(backend).puts),
            "leastGetsPerSecond": .rounded(FloorCheck.threshold(backend).gets),
        ]
    }
}

extension JSON {
    /// `value` to five significant digits or so: more would pretend.
    static func rounded(_ value: Double) -> JSON {
        guard value.isFinite, value != 0 else { return .double(0) }
        if value.magnitude >= 10_000, value.magnitude < 1e15 { return .integer(Int64(value.rounded())) }
        var scale = 1.0
        while value.magnitude * scale < 10_000 { scale *= 10 }
        return .double((value * scale).rounded() / scale)
    }
}
