import GroveCache
import GroveModel

/// The bare store in a process of its own, some of whose calls to the disk fail.
enum SyncProcess {
    /// Writes and synchronizes a few times, and says of each time what was reported and how many calls failed.
    static func work(_ directory: String, log: String, _ backend: any ConformanceBackend) -> Int32 {
        let site = backend.site(at: directory)
        var store: (any NodeStore)?
        for _ in 0..<40 where store == nil { store = try? site.openStore() }
        guard let store else { return 3 }
        for round in 0..<6 {
            let before = FaultLibrary.counts(log).failed
            let written = code { () throws(CacheError) in
                try store.put([1, UInt8(round)], [UInt8](repeating: UInt8(round), count: 5_000))
            }
            let synchronized = code { () throws(CacheError) in try store.synchronize() }
            let failed = FaultLibrary.counts(log).failed - before
            ConformanceWorker.say("round\t\(written ?? "-")\t\(synchronized ?? "-")\t\(failed)")
        }
        store.close()
        return 0
    }

    private static func code(_ call: () throws(CacheError) -> Void) -> String? {
        do {
            try call()
            return nil
        } catch {
            return error.code.description
        }
    }
}
