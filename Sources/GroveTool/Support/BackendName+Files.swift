import GroveCompare

#if Tool
    import ArgumentParser

    extension BackendName: ExpressibleByArgument {}
#endif

extension BackendName {
    /// The file by which the backend's store is known; `nil` for memory.
    var markerFile: String? {
        switch self {
        case .memory: nil
        case .lmdb: "data.mdb"
        case .sqlite: "store.sqlite"
        case .leveldb: "CURRENT"
        }
    }

    /// Whether a file called `name` in the backend's store is a part of it, or was set aside by it.
    func isOwn(_ name: String) -> Bool {
        if name.hasPrefix("grove") || name == "set-aside" { return true }
        return switch self {
        case .memory: false
        case .lmdb: ["data.mdb", "lock.mdb", "data.copy", "data.next"].contains(name)
        case .sqlite: name.hasPrefix("store.sqlite")
        case .leveldb:
            ["CURRENT", "LOCK", "LOG", "LOG.old"].contains(name) || name.hasPrefix("MANIFEST-")
                || name.prefix { $0 != "." }.allSatisfy(\.isNumber)
        }
    }
}
