import FileStore
import Foundation
import GroveCache
import GroveConformance
import GroveModel
import Testing

/// The example of Docs/Backends/ImplementingABackend; its conformance is checked by ``SlowFileStoreTests``.
@Suite("The example of a backend")
struct ExampleStoreTests {
    @Test("Its files are their owner's alone")
    func modes() throws {
        let files = FileManager.default
        let path = files.temporaryDirectory.path + "/grove example \(UUID().uuidString)"
        defer { try? files.removeItem(atPath: path) }
        let cache = try NormalizedCache<FileStore>(directory: path, options: FileStore.Options())
        try cache.write(Person(id: "Person:1"))
        let names = try files.contentsOfDirectory(atPath: path)
        #expect(names.contains("dirty") && names.contains { $0.hasSuffix(".node") })
        for name in names {
            let mode = try files.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        cache.close()
    }

    @Test("A store whose directory was moved leaves the one alone that has its name since")
    func moved() throws {
        let files = FileManager.default
        let path = files.temporaryDirectory.path + "/grove example \(UUID().uuidString)"
        let moved = path + " moved"
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { for place in [path, moved] { try? files.removeItem(atPath: place) } }
        let store = try FileStore(directory: path, options: FileStore.Options())
        try store.write { _ in }
        #expect(files.fileExists(atPath: path + "/dirty"))
        try files.moveItem(atPath: path, toPath: moved)
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        for name in ["dirty", "lock"] { try Data().write(to: URL(fileURLWithPath: path + "/" + name)) }
        try store.synchronize()
        store.close()
        #expect(try files.contentsOfDirectory(atPath: path).sorted() == ["dirty", "lock"])
        #expect(files.fileExists(atPath: moved + "/dirty"))
    }
}
