import GroveCompare

#if Tool
    import ArgumentParser

    extension BackendName: ExpressibleByArgument {}
#endif

extension BackendName {
    /// The file by which the backend's store is known; `nil` for memory.
    var markerFile: String? {
        switch self {
        case .memory, .other: nil
        case .lmdb: "data.mdb"
        case .sqlite: "store.sqlite"
        case .leveldb: "CURRENT"
        }
    }
}
