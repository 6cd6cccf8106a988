import GroveCache
import GroveCompare
import GroveModel

/// The directory of a store that the user named, checked before anything is opened.
struct StorePlace: Sendable {
    let backend: BackendName
    /// The directory; `nil` for memory.
    let directory: String?
    /// The bytes that LMDB may map, if not its default.
    let mapSize: Int?

    /// The place of the store in `directory`, of any backend.
    ///
    /// - Throws: ``ToolError`` if there is none.
    init(holding directory: String, mapSize: Int?) throws(ToolError) {
        guard let backend = StorePlace.backend(in: directory) else {
            throw .input("\(directory) holds no store; check the path")
        }
        try self.init(backend, directory, mapSize: mapSize)
    }

    /// - Throws: ``ToolError`` if the backend needs a directory and has none, or has one that it cannot use.
    init(_ backend: BackendName, _ directory: String?, mapSize: Int? = nil) throws(ToolError) {
        self.backend = backend
        self.mapSize = mapSize
        guard mapSize == nil || backend == .lmdb else { throw .input("--map-size is LMDB's; leave it out") }
        guard backend.isPersistent else {
            self.directory = nil
            return
        }
        guard let directory, !directory.isEmpty else {
            throw .input("--backend \(backend.rawValue) needs a directory: add --store DIR")
        }
        self.directory = directory
        switch FilePlace(directory) {
        case .file: throw .input("\(directory) is a file; --store takes a directory")
        case .directory:
            if let other = StorePlace.other(than: backend, in: directory) {
                throw .input("\(directory) holds a \(other.rawValue) store: use --backend \(other.rawValue)")
            }
        case .missing: break
        }
    }

    /// Whether the backend's store is in the directory.
    var holdsStore: Bool { StorePlace.holds(backend, directory ?? "") }

    /// Opens the existing store, and never makes one.
    func openExisting() throws(ToolError) -> any ToolCache {
        guard let directory else {
            throw .input("the memory backend keeps nothing between processes: use lmdb, sqlite or leveldb")
        }
        guard FilePlace(directory) == .directory else {
            throw .input("there is no directory \(directory); import a document first, or check --store")
        }
        guard holdsStore else {
            throw .input("\(directory) holds no \(backend.rawValue) store; import a document first, or check --store")
        }
        return try open()
    }

    /// Opens the store, making it if there is none.
    func open() throws(ToolError) -> any ToolCache {
        do {
            return try backend.open(directory, mapSize: mapSize)
        } catch {
            throw ToolError(error, "cannot open the store \(directory ?? "in memory")")
        }
    }

    /// The bytes that the store's files take on disk, as `du` counts them, while it is not open.
    func bytesOnDisk() throws(ToolError) -> Int {
        guard let directory, FilePlace(directory) == .directory else { return 0 }
        return try ToolError.wrapping("cannot read the store") { () throws(CacheError) in
            try StoreFiles(directory).allocatedBytes()
        }
    }

    private static func other(than backend: BackendName, in directory: String) -> BackendName? {
        guard !holds(backend, directory) else { return nil }
        return self.backend(in: directory)
    }

    private static func backend(in directory: String) -> BackendName? {
        BackendName.allCases.first { holds($0, directory) }
    }

    private static func holds(_ backend: BackendName, _ directory: String) -> Bool {
        backend.markerFile.map { FilePlace("\(directory)/\($0)") == .file } ?? false
    }
}
