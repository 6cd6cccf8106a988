#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the measurements ran on.
struct Machine: Sendable {
    /// Whether this code was compiled with optimisation.
    static var isOptimised: Bool {
        var isOptimised = true
        assert({ isOptimised = false }() == ())
        return isOptimised
    }

    /// The machine as the report names it; nothing of it identifies the machine.
    static var json: JSON {
        let process = ProcessInfo.processInfo
        return [
            "system": .string(system), "architecture": .string(architecture),
            "processor": processor.map { .string($0) } ?? .null, "cores": JSON(process.activeProcessorCount),
            "memoryBytes": JSON(number: process.physicalMemory), "optimised": .bool(isOptimised),
            "clockOverheadNanoseconds": JSON(number: Stopwatch.overhead),
            "engines": .object(BackendName.allCases.map { JSONMember($0.rawValue, .string(Floor.version($0))) }),
        ]
    }

    /// The same in words.
    static var text: String {
        let process = ProcessInfo.processInfo
        let engines = BackendName.allCases.filter(\.isPersistent).map { "\($0.rawValue) over \(Floor.version($0))" }
            .joined(separator: ", ")
        let memory = (Double(process.physicalMemory) / 1e9).fixed(0)
        return "\(system), \(architecture), \(processor ?? "a processor that is not named"), "
            + "\(process.activeProcessorCount) cores, \(memory) GB of memory; \(engines)"
    }

    private static var system: String {
        if let release = FileManager.default.contents(atPath: "/etc/os-release") {
            for line in String(decoding: release, as: UTF8.self).split(separator: "\n") {
                guard line.hasPrefix("PRETTY_NAME=") else { continue }
                return String(line.dropFirst(12).filter { $0 != "\"" })
            }
        }
        return ProcessInfo.processInfo.operatingSystemVersionString
    }

    private static var architecture: String {
        #if arch(arm64)
            "arm64"
        #elseif arch(x86_64)
            "x86_64"
        #else
            "other"
        #endif
    }

    private static var processor: String? {
        guard let data = FileManager.default.contents(atPath: "/proc/cpuinfo") else { return nil }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where line.hasPrefix("model name") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            return String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        return nil
    }
}
