import GroveFloor

/// An engine called directly, from C if it is one of Grove's; see GroveFloor.h.
@safe
// SAFETY: the handle is set once; one thread reads while another writes at most, which the floor's contract allows.
final class Floor: @unchecked Sendable {
    /// `nil` for a backend that others made.
    private let handle: OpaquePointer?
    private let engine: BareEngine?
    let backend: BackendName

    /// Whether there is an engine to measure.
    var isThere: Bool { unsafe handle != nil || engine != nil }

    /// Opens the engine of `backend` in `directory`, which exists.
    init(_ backend: BackendName, directory: String) throws {
        self.backend = backend
        if case .other(let other) = backend {
            unsafe handle = nil
            engine = try other.bareEngine(directory)
            return
        }
        var error = grove_floor_error()
        guard let handle = unsafe grove_floor_open(backend.engine, directory, &error) else {
            throw Floor.failure(backend, error)
        }
        unsafe self.handle = handle
        engine = nil
    }

    deinit { if let handle = unsafe handle { unsafe grove_floor_close(handle) } }

    /// What is done with the planned records.
    enum Operation {
        case get
        case put
    }

    /// Runs `plan` over `table`.
    ///
    /// - Parameter timesGroups: whether each group is timed, which costs it a reading of the clock.
    /// - Throws: ``ToolError``, or what another's engine throws, if the engine fails, or if the bytes fetched are not
    ///   those of the table.
    @discardableResult
    func run(
        _ operation: Operation, _ table: RecordTable, _ plan: FloorPlan, timesGroups: Bool = false
    ) throws -> FloorRun {
        guard let handle = unsafe handle else { return try run(operation, table, plan, timesGroups) }
        var result = grove_floor_result()
        var error = grove_floor_error()
        var latencies = [UInt64](repeating: 0, count: timesGroups ? plan.groupCount : 0)
        var expected: UInt64 = 0
        let code = unsafe table.withRecords { records in
            unsafe plan.withPlan(&latencies) { plan in
                switch operation {
                case .put: return unsafe grove_floor_put(handle, records, plan, &result, &error)
                case .get:
                    expected = unsafe grove_floor_expected_checksum(records, plan)
                    return unsafe grove_floor_get(handle, records, plan, &result, &error)
                }
            }
        }
        guard code == GROVE_FLOOR_OK else { throw Floor.failure(backend, error) }
        if operation == .get {
            guard result.found == plan.order.count, result.checksum == expected else {
                throw ToolError.failed(
                    "the \(backend.rawValue) floor did not fetch what it had stored; the run is void")
            }
        }
        return FloorRun(nanoseconds: result.nanoseconds, latencies: latencies)
    }

    /// The same with calls of another's engine, if there is one.
    private func run(
        _ operation: Operation, _ table: RecordTable, _ plan: FloorPlan, _ timesGroups: Bool
    ) throws -> FloorRun {
        guard let engine else { return FloorRun(nanoseconds: 0, latencies: []) }
        var (sum, latencies): (UInt64, [UInt64]) = (0, [])
        for group in plan.groups {
            let (keys, bytes) = (group.map { table.key($0) }, group.reduce(0) { $0 + table.value($1).count })
            let records = operation == .put ? group.map { (key: table.key($0), value: table.value($0)) } : []
            var fetched = bytes
            let time = try Stopwatch.time {
                switch operation {
                case .put: try engine.put(records)
                case .get: fetched = try engine.get(keys)
                }
            }
            guard fetched == bytes else {
                throw ToolError.failed(
                    "the \(backend.rawValue) floor did not fetch what it had stored; the run is void")
            }
            sum += time
            if timesGroups { latencies.append(time) }
        }
        return FloorRun(nanoseconds: sum, latencies: latencies)
    }

    /// The engine's name and version.
    static func version(_ backend: BackendName) -> String {
        if case .other = backend { return backend.rawValue }
        guard let text = unsafe grove_floor_engine_version(backend.engine) else { return backend.rawValue }
        return unsafe String(cString: text)
    }

    private static func failure(_ backend: BackendName, _ error: grove_floor_error) -> ToolError {
        let message = unsafe withUnsafePointer(to: error) { pointer in
            unsafe grove_floor_error_message(pointer).map { unsafe String(cString: $0) } ?? "it failed"
        }
        return .failed("the \(backend.rawValue) floor: \(message)")
    }
}

/// What a run of the floor took.
struct FloorRun {
    let nanoseconds: UInt64
    /// Of each group, if that was asked for.
    let latencies: [UInt64]
}

extension BackendName {
    fileprivate var engine: grove_floor_engine {
        switch self {
        case .memory, .other: GROVE_FLOOR_MEMORY
        case .lmdb: GROVE_FLOOR_LMDB
        case .sqlite: GROVE_FLOOR_SQLITE
        case .leveldb: GROVE_FLOOR_LEVELDB
        }
    }
}
