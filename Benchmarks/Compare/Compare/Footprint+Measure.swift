import GroveCache
import GroveModel
import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The memory of this process.
enum ProcessMemory {
    /// Bytes of memory that belong to the process alone: not those of files mapped, which the system can take back.
    static var residentBytes: Int {
        #if canImport(Darwin)
            var information = task_vm_info_data_t()
            var count = mach_msg_type_number_t(MemoryLayout<task_vm_info_data_t>.size / MemoryLayout<natural_t>.size)
            let status = unsafe withUnsafeMutablePointer(to: &information) { pointer in
                unsafe pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) { pointer in
                    unsafe task_info(mach_task_self_, task_flavor_t(TASK_VM_INFO), pointer, &count)
                }
            }
            return status == KERN_SUCCESS ? Int(information.phys_footprint) : 0
        #else
            guard let data = FileManager.default.contents(atPath: "/proc/self/status") else { return 0 }
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where line.hasPrefix("RssAnon:") {
                return Int(line.split(separator: " ").dropFirst().first ?? "").map { $0 * 1_024 } ?? 0
            }
            return 0
        #endif
    }

    /// Gives memory that is not in use back to the system, so that growth from here on can be seen.
    static func trim() {
        #if canImport(Glibc)
            // glibc's malloc_trim, whose header the Swift overlay leaves out.
            typealias Trim = @convention(c) (Int) -> Int32
            guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
            _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
        #endif
    }
}

extension Footprint {
    /// Fills a cache that is opened in `directory`, opens it again, and reads every tree once.
    ///
    /// - Parameters:
    ///   - killed: an empty directory, for the files that a killed process would leave behind.
    ///   - raw: an empty directory, for the bare engine.
    static func measure<Store: NodeStore, Data: CompareData>(
        _ backend: BackendName, _ data: Data, beside directory: String, killed: String, floor raw: String,
        budgeted: (String, CacheBudget) throws -> NormalizedCache<Store>,
        _ open: (String) throws -> NormalizedCache<Store>
    ) throws -> Footprint {
        let identifiers: [ModelIdentifier]
        var before = 0
        var peak = 0
        let written = ProcessBytes.written
        var cache = try open(directory)
        do {
            let trees = data.trees(version: 0)
            identifiers = trees.compactMap(\.modelIdentifier)
            ProcessMemory.trim()
            before = ProcessMemory.residentBytes
            for start in stride(from: 0, to: trees.count, by: 500) {
                try cache.write(contentsOf: trees[start..<min(start + 500, trees.count)])
                peak = max(peak, ProcessMemory.residentBytes - before)
            }
            try cache.flush()
        }
        var openTimes: [Double] = []
        var writtenBytes: Int?
        if backend.isPersistent {
            for round in 0..<5 {
                cache.close()
                if round == 0, let written { writtenBytes = ProcessBytes.written.map { $0 - written } }
                let time = try Stopwatch.time {
                    cache = try open(directory)
                    if let first = identifiers.first { _ = try? cache.read(first, as: Data.Tree.self) }
                }
                openTimes.append(Double(time) / 1e6)
            }
            cache.close()
            ProcessMemory.trim()
            before = ProcessMemory.residentBytes
            cache = try open(directory)
        } else {
            openTimes = try (0..<5).map { _ in Double(try Stopwatch.time { try open(directory).close() }) / 1e6 }
        }
        // Without a log that grew while the cache was filled, whose length has a bound and tells nothing of larger
        // caches.
        let size = try cache.size()
        for identifier in identifiers { _ = try? cache.read(identifier, as: Data.Tree.self) }
        ProcessMemory.trim()
        let resident = max(ProcessMemory.residentBytes - before, 0)
        let floor = backend.isPersistent ? try rawOpening(backend, cache, in: raw) : nil
        let afterKill =
            backend.isPersistent
            ? try opening(cache, data, identifiers.first, from: directory, killed: killed, open) : nil
        cache.close()
        let writes = try firstWrites(
            backend, data, in: directory, CacheBudget(bytes: max(size.bytesOnDisk * 3, 50_000_000)), budgeted)
        return Footprint(
            backend: backend, bytesOnDisk: size.bytesOnDisk, residentBytes: resident,
            openMilliseconds: openTimes.median, nodes: size.entries, payloadBytes: size.payloadBytes,
            floorOpenMilliseconds: floor, killedOpenMilliseconds: afterKill, peakBytes: peak,
            writtenPerByte: writtenBytes.map { Double($0) / Double(max(size.payloadBytes, 1)) },
            firstWriteMilliseconds: writes?.without, firstBudgetedWriteMilliseconds: writes?.within)
    }

    /// The first write after opening, in turns without a budget and within one.
    private static func firstWrites<Store: NodeStore, Data: CompareData>(
        _ backend: BackendName, _ data: Data, in directory: String, _ budget: CacheBudget,
        _ open: (String, CacheBudget) throws -> NormalizedCache<Store>
    ) throws -> (without: Double, within: Double)? {
        guard backend.isPersistent, Store.self is any BudgetedStore.Type else { return nil }
        var times: [[Double]] = [[], []]
        for round in 0..<10 {
            let cache = try open(directory, round % 2 == 0 ? .unlimited : budget)
            let trees = data.trees(version: round + 2, in: 0..<1)
            times[round % 2].append(Double(try Stopwatch.time { try cache.write(contentsOf: trees) }) / 1e6)
            cache.close()
        }
        return (times[0].median, times[1].median)
    }

    /// Opens the bare engine with the same records, to its first get.
    private static func rawOpening<Store: NodeStore>(
        _ backend: BackendName, _ cache: NormalizedCache<Store>, in directory: String
    ) throws -> Double {
        let table = try RecordTable(cache)
        let first = FloorPlan([[table.count / 2]])
        try Floor(backend, directory: directory).run(.put, table, FloorPlan(Array(0..<table.count), groupsOf: 1_000))
        return try (0..<5).map { _ in
            // Closing is not opening.
            var floor: Floor?
            let time = try Stopwatch.time {
                floor = try Floor(backend, directory: directory)
                _ = try floor?.run(.get, table, first)
            }
            floor = nil
            return Double(time) / 1e6
        }.median
    }

    /// Opens a copy of the files of a store that is open, as a kill would leave them, after a megabyte was written.
    private static func opening<Store: NodeStore, Data: CompareData>(
        _ cache: NormalizedCache<Store>, _ data: Data, _ first: ModelIdentifier?, from directory: String,
        killed: String, _ open: (String) throws -> NormalizedCache<Store>
    ) throws -> Double {
        let trees = data.trees(version: 1)
        let size = try cache.size()
        let bytesPerTree = max(size.payloadBytes / max(trees.count, 1), 1)
        try cache.write(contentsOf: trees.prefix(max(1_000_000 / bytesPerTree, 1)))
        try cache.flush()
        return try (0..<5).map { round in
            let place = "\(killed)/\(round)"
            try FileManager.default.copyItem(atPath: directory, toPath: place)
            var copy: NormalizedCache<Store>?
            let time = try Stopwatch.time {
                copy = try open(place)
                if let first { _ = try? copy?.read(first, as: Data.Tree.self) }
            }
            copy?.close()
            return Double(time) / 1e6
        }.median
    }
}
