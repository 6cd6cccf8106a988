extension CompareReport {
    /// The report as a page: the answer, all figures, and what they were measured on.
    package var page: ReportPage {
        let tables = [usesTable, ratesTable, latencyTable, stallTable, engineTable, placeTable].compactMap(\.self)
        return ReportPage(
            title: "Grove's backends compared", answer: CompareAnswer(self)?.sentences ?? [dataSet],
            tables: tables.filter { !$0.rows.isEmpty } + (peers.map { [$0.table] } ?? []), circumstances: circumstances)
    }

    /// What a table calls `backend`.
    private func name(_ backend: BackendName) -> String {
        backend.rawValue + (wrong.contains(backend) ? " (wrong)" : "")
    }

    private var measured: [BackendName] { backends }

    private var usesTable: ReportTable? {
        guard let answer = CompareAnswer(self) else { return nil }
        var table = ReportTable(
            title: "Calls a second, by use",
            notes: ["A use's figure is put together from the measured cost of each kind of its calls."]
                + answer.uses.map { "\($0.name): \($0.summary)." },
            legend: [
                "A full bar is the fastest on disk, among those whose commits survive the same if that matters to the use."
            ],
            header: ["backend", "a commit survives"] + answer.uses.map(\.name))
        for backend in answer.rows {
            table.rows.append(
                [.init(name(backend)), .init(backend.promise.words)]
                    + answer.uses.map { use in
                        guard let figure = UseScore(use, backend, in: self)?.callsPerSecond else { return .init("-") }
                        return .init(CompareResult.short(figure), share: figure / answer.best(use, as: backend))
                    })
        }
        return table
    }

    /// Results of the first coding; the others have lines of their own in the details.
    private func result(_ workload: Workload, _ backend: BackendName) -> CompareResult? {
        results.first { $0.workload == workload && $0.backend == backend && $0.coding == results[0].coding }
    }

    private var workloads: [Workload] { Workload.allCases.filter { one in results.contains { $0.workload == one } } }

    private var ratesTable: ReportTable? {
        var table = ReportTable(
            title: "Throughput, and what Grove costs over the engine",
            notes: [
                "Units a second; in brackets, how many times as fast the engine is by itself, called from C with the same bytes. 1.0 is the engine itself."
            ], legend: ["A full bar is the fastest on disk."],
            header: ["workload", "counts"] + measured.map(\.rawValue))
        for workload in workloads {
            let figures = measured.map { result(workload, $0) }
            let best = zip(measured, figures).filter { $0.0.isPersistent }.compactMap { $0.1?.operationsPerSecond }
                .max()
            table.rows.append(
                [.init(workload.rawValue), .init(workload.unit)]
                    + figures.map { figure in
                        guard let figure else { return .init("-") }
                        let over = figure.tax.map { " (\($0.fixed(1)))" } ?? ""
                        return .init(
                            CompareResult.short(figure.operationsPerSecond) + over + (figure.isVoid ? " void" : ""),
                            share: best.map { figure.operationsPerSecond / $0 })
                    })
        }
        return table
    }

    private var latencyTable: ReportTable? {
        let timed = workloads.filter { workload in
            measured.contains { result(workload, $0)?.latencies.quantile(0.5) != nil }
        }
        let quantiles = [0.5, 0.99, 0.999]
        let all = timed.flatMap { workload in
            measured.flatMap { backend in
                quantiles.compactMap { result(workload, backend)?.latencies.quantile($0) }.filter { $0 > 0 }
            }
        }
        guard let least = all.min(), let most = all.max() else { return nil }
        let scale = LogScale(from: least, to: most)
        var table = ReportTable(
            title: "Latency of one call, in microseconds",
            notes: [
                "Half of the calls took no longer than p50, and one in a thousand took longer than p99.9."
            ],
            legend: [
                "The marks are p50, p99 and p99.9, on one scale of \(CompareResult.short(least)) to \(CompareResult.short(most)) µs for the whole table; ten times as long is always the same distance."
            ], header: ["workload", "backend", "p50", "p99", "p99.9", "slowest", "on the scale"])
        for workload in timed {
            for backend in measured {
                guard let latencies = result(workload, backend)?.latencies, let slowest = latencies.maximum else {
                    continue
                }
                let figures = quantiles.compactMap { latencies.quantile($0) }
                table.rows.append(
                    [.init(workload.rawValue), .init(backend.rawValue)]
                        + figures.map { .init(CompareResult.short($0)) } + [.init(CompareResult.short(slowest))]
                        + [.init("", marks: figures.map(scale.part))])
            }
        }
        return table
    }

    private var stallTable: ReportTable? {
        var table = ReportTable(
            title: "Reads while another thread commits, in microseconds",
            notes: ["A reader waits for no writer: what these take longer is the processor's share and the disk's."],
            header: ["backend", "beside", "p50", "p99", "p99.9", "slowest"])
        for backend in measured {
            guard let result = result(.readerStall, backend) else { continue }
            for (beside, latencies) in [
                ("10,000 nodes a commit", result.latencies), ("one node a commit", result.besideOneNodeWrites),
            ] {
                guard let latencies, let slowest = latencies.maximum else { continue }
                table.rows.append(
                    [.init(backend.rawValue), .init(beside)]
                        + [0.5, 0.99, 0.999].map { .init(latencies.quantile($0).map(CompareResult.short) ?? "-") }
                        + [.init(CompareResult.short(slowest))])
            }
        }
        return table
    }

    private var engineTable: ReportTable? {
        var table = ReportTable(
            title: "The engine in memory, in milliseconds",
            notes: [
                "Until every holder of a model was told, and how long the main actor was held for it. An empty round trip to the main actor took \(roundTrip.fixed(3)) ms."
            ], header: ["workload", "a model is added", "a model changes", "main actor held, µs"])
        for result in consistency {
            func text(_ figures: [Double]) -> ReportTable.Cell {
                .init(figures.isEmpty ? "-" : CompareResult.short(figures.median))
            }
            table.rows.append(
                [.init(result.workload.rawValue), text(result.add), text(result.change), text(result.held)])
        }
        return table
    }

    private var placeTable: ReportTable? {
        func perRecord(_ bytes: Int, _ footprint: Footprint) -> Double {
            Double(bytes) / Double(max(footprint.nodes, 1))
        }
        let most = footprints.map { perRecord($0.bytesOnDisk, $0) }.max() ?? 0
        var table = ReportTable(
            title: "Room and opening",
            notes: [
                "Bytes on disk as du counts them; memory is what the process gained by opening the store and reading every tree once, mapped files not counted. Opening is to the end of the first read.",
                "The most memory is what the process grew by while the store was filled; written is what it handed to the system meanwhile, for each byte of keys and values. The first write is that of one tree after opening, and the same within a budget that nothing has to leave.",
            ],
            header: [
                "backend", "records", "bytes on disk a record", "payload a record", "memory a record", "opening, ms",
                "the engine's, ms", "after a kill, ms", "most memory, MB", "written a byte", "first write, ms",
                "within a budget, ms",
            ])
        for footprint in footprints {
            let disk = perRecord(footprint.bytesOnDisk, footprint)
            table.rows.append([
                .init(footprint.backend.rawValue), .init(footprint.nodes.grouped),
                .init(disk.fixed(0), share: most > 0 ? disk / most : nil),
                .init(perRecord(footprint.payloadBytes, footprint).fixed(0)),
                .init(perRecord(footprint.residentBytes, footprint).fixed(0)),
                .init(footprint.openMilliseconds.fixed(2)), .init(footprint.floorOpenMilliseconds?.fixed(2) ?? "-"),
                .init(footprint.killedOpenMilliseconds?.fixed(2) ?? "-"),
                .init((Double(footprint.peakBytes) / 1e6).fixed(1)), .init(footprint.writtenPerByte?.fixed(1) ?? "-"),
                .init(footprint.firstWriteMilliseconds?.fixed(2) ?? "-"),
                .init(footprint.firstBudgetedWriteMilliseconds?.fixed(2) ?? "-"),
            ])
        }
        return table
    }

    /// What the figures were measured on and how, in sentences.
    private var circumstances: [String] {
        var parts = ["\(Machine.text)."]
        parts.append(
            "The stores were \(isInMemory ? "on a file system in memory, where syncing costs nothing" : "on a disk"), and "
                + (budget.map { "each had \($0.grouped) bytes." } ?? "had no budget."))
        if !isOptimised { parts.append("The build was not optimised: its figures mean little.") }
        if isInterrupted { parts.append("The run was interrupted: this is what was measured until then.") }
        if isVoid { parts.append("Figures marked void are over an engine that was far slower than it can be.") }
        parts.append("Compare only figures of one run. It is made again by: `\(command)`")
        return parts
    }
}

/// A scale between two numbers, on which ten times as much is always the same distance.
private struct LogScale {
    private let (least, doublings): (Double, Double)

    init(from least: Double, to most: Double) {
        (self.least, doublings) = (least, max(LogScale.logarithm(most / least), .leastNonzeroMagnitude))
    }

    /// From 0 to 1.
    func part(_ value: Double) -> Double { min(max(LogScale.logarithm(value / least) / doublings, 0), 1) }

    /// To the base of two, with straight lines between its powers.
    private static func logarithm(_ ratio: Double) -> Double {
        ratio > 0 && ratio.isFinite ? Double(ratio.exponent) + ratio.significand - 1 : 0
    }
}
