import Dispatch
import Foundation
@testable import GroveCache
import GroveModel
import GrovePlatform
import Synchronization
import Testing
import TestSupport

@Suite("Where a store lies, and who replaced it")
struct StoreSourceTests {
    private let ann = Person(id: "1", name: "Ann", age: 1)
    private let bob = Person(id: "2", name: "Bob", age: 1)

    @Test("A relative path is kept as one from the root, so that the working directory may change")
    func relative() throws {
        let place = try TemporaryDirectory()
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let path = String(repeating: "../", count: depth) + place.path.dropFirst() + "/store"
        let options = SharedStore.Options(disk: try SharedStore.Disk())
        let cache = try NormalizedCache<FragileStore>(directory: path, options: options)
        try #require(FileManager.default.fileExists(atPath: place.path + "/store"))
        let directory = try #require(cache.core.source.directory)
        #expect(directory.hasPrefix("/") && !directory.contains(".."))
        #expect(FileIdentity(directory) == FileIdentity(place.path + "/store"))
    }

    #if os(Linux)
        @Test("A link to a directory whose name is not UTF-8 is a path like any other")
        func notText() throws {
            let place = try TemporaryDirectory()
            let strange = Array(place.path.utf8).map { CChar(bitPattern: $0) } + [0x2F, -1, 0]
            #expect(unsafe mkdir(strange, 0o700) == 0)
            #expect(unsafe symlink(strange, place.path + "/link") == 0)
            let options = SharedStore.Options(disk: try SharedStore.Disk())
            let cache = try NormalizedCache<FragileStore>(directory: place.path + "/link", options: options)
            #expect(cache.core.source.directory == place.path + "/link")
            try cache.write(ann)
            #expect(try cache.model("Person:1", as: Person.self) == ann)
            cache.close()
            #expect(unsafe rename(strange, place.path + "/text") == 0)
            #expect(FileManager.default.fileExists(atPath: place.path + "/text/grove.generation"))
        }
    #endif

    @Test("What is gone was replaced; what cannot be looked at is as it was")
    func unseen() throws {
        let place = try TemporaryDirectory()
        func source(_ directory: String) -> StoreSource {
            let options = SharedStore.Options(disk: disk)
            return StoreSource(FragileStore.self, directory: directory, options: options, policy: .fail)
        }
        let disk = try SharedStore.Disk()
        let file = FileIdentity(place.path)
        #expect(source(place.path + "/store").isReplaced(since: file))
        try Data().write(to: URL(fileURLWithPath: place.path + "/file"))
        #expect(source(place.path + "/file/store").isReplaced(since: file))
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/loop", withDestinationPath: place.path + "/loop")
        #expect(!source(place.path + "/loop/store").isReplaced(since: file))
        #expect(!source(place.path + "/" + String(repeating: "n", count: 300)).isReplaced(since: file))
    }

    @Test("A cache does not take its own wipe for others', and keeps what is set meanwhile")
    func ownWipe() throws {
        let opened = try FragileStore.Opened()
        let cache = opened.cache
        try cache.write(ann)
        let bob = bob
        opened.disk.faults.withLock {
            $0.beforeWipe = {
                let isSet = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    cache.setModel(bob, forKey: "Person:2", context: nil)
                    isSet.signal()
                }
                #expect(isSet.wait(timeout: .now() + 20) == .success)
            }
        }
        try cache.wipe()
        try cache.flush()
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        #expect(try cache.model("Person:2", as: Person.self) == bob)
        #expect(opened.count == 1)
    }

    @Test("What others replace right after a wipe is noticed")
    func afterWipe() throws {
        let opened = try FragileStore.Opened()
        let core = opened.cache.core
        _ = try core.source.replacing { (generation) throws(CacheError) in
            if let generation { core.state.withLock { $0.advance(generation) } }
        }
        try opened.cache.write(ann)
        #expect(opened.count == 1)
        _ = try StoreGeneration.exclusively(in: opened.place) { (generation) throws(CacheError) in
            generation.advance()
        }
        try opened.cache.write(ann)
        #expect(opened.count == 2)
    }
}
