import Dispatch
import Foundation
package import GroveCache
import GroveCoding
import GroveModel
import Synchronization
import TestSupport
import Testing

/// How a cache comes and goes on each backend, as tests that the backend's target runs on its own store.
///
/// The conformance kit's rules LIF-01 to LIF-10 run on every backend too; what is checked here goes beyond them.
package struct CacheLife<Store: NodeStore>: Sendable {
    /// One promise.
    package struct Check: Sendable, CustomTestStringConvertible {
        /// The promise, in a sentence.
        package let testDescription: String
        private let body: @Sendable (CacheLife) async throws -> Void

        init(_ promise: String, _ body: @escaping @Sendable (CacheLife) async throws -> Void) {
            testDescription = promise
            self.body = body
        }

        /// Checks the promise on caches with `options`, in a directory of its own.
        package func callAsFunction(_ options: Store.Options) async throws {
            try await body(CacheLife(directory: TemporaryDirectory(), options: options))
        }
    }

    typealias Cache = NormalizedCache<Store>

    let directory: TemporaryDirectory
    let options: Store.Options

    var path: String { directory.path + "/store" }

    func open() throws(CacheError) -> Cache { try Cache(directory: path, options: options) }

    /// The promises that `Store` makes, as its profile says.
    package static var checks: [Check] {
        [
            Check("A suspension commits what was queued, waits for it, and is lifted by any handle") {
                try $0.sharing()
            },
            Check("Suspension and resumption need not block a task") { try await $0.inTasks() },
            Check("Calls that race with suspensions succeed or say `suspended`, and nothing is lost") {
                try $0.racing()
            },
            Check("The directory is its owner's alone") { try $0.modes() },
        ]
            + (Store.profile.isPersistent
                ? [
                    Check("A resumption that fails leaves the cache suspended, and can be tried again") {
                        try $0.retrying()
                    },
                    Check("A suspended cache that is closed has lost nothing") { try $0.closing() },
                    Check("What was set while the cache was suspended shows in no old version after it was closed") {
                        try $0.setWhileSuspended()
                    },
                    Check("A list that was edited is the same when the cache is opened again") { try $0.editedLists() },
                    Check("In a directory that others may read, they cannot read what is stored") {
                        try $0.modesOfOthers()
                    },
                ] : [])
            + directoryChecks + damageChecks + budgetChecks + programChecks
    }

    private func sharing() throws {
        let first = try open()
        // Memory shares nothing: there the second handle is the first.
        let second = Store.profile.isPersistent ? try open() : first
        for index in 0..<200 { first.setModel(Note(index, "queued"), forKey: "Note:\(index)", context: nil) }
        try second.suspend()
        #expect(try directory.descriptors() == [])
        #expect(code { _ = try first.model("Note:1", as: Note.self) } == .suspended)
        let third = Store.profile.isPersistent ? try open() : first
        #expect(code { try third.write(Note(1, "refused")) } == .suspended)
        try first.resume()
        for index in 0..<200 { #expect(try third.model("Note:\(index)", as: Note.self) == Note(index, "queued")) }
        try third.write(Note(1, "taken"))
        #expect(try first.model("Note:1", as: Note.self) == Note(1, "taken"))
        try first.resume()
    }

    private func inTasks() async throws {
        let cache = try open()
        try await cache.write(Note(1, "before"))
        try await cache.suspend()
        #expect(await codeInTask { try await cache.write(Note(1, "refused")) } == .suspended)
        #expect(await codeInTask { try await cache.flush() } == .suspended)
        try await cache.resume()
        #expect(try cache.model("Note:1", as: Note.self) == Note(1, "before"))
        try await cache.write(Note(1, "after"))
        cache.close()
        #expect(await codeInTask { try await cache.suspend() } == .closed)
        #expect(await codeInTask { try await cache.resume() } == .closed)
    }

    private func racing() throws {
        let cache = try open()
        for index in 0..<8 { try cache.write(Note(index, "0")) }
        let written = Mutex([Int](repeating: 0, count: 8))
        let failures = Mutex<[String]>([])
        let isDone = Atomic(false)
        let callers = DispatchGroup()
        for index in 0..<8 {
            DispatchQueue.global().async(group: callers) {
                var round = 0
                while !isDone.load(ordering: .relaxed) {
                    round += 1
                    do throws(CacheError) {
                        try cache.write(Note(index, "\(round)"))
                        written.withLock { $0[index] = round }
                    } catch {
                        if error.code != .suspended { failures.withLock { $0.append("write: \(error)") } }
                    }
                    do throws(CacheError) {
                        let text = try cache.model("Note:\(index)", as: Note.self)?.text
                        let expected = written.withLock { $0[index] }
                        if text != "\(expected)" { failures.withLock { $0.append("read \(text ?? "nil")") } }
                    } catch {
                        if error.code != .suspended { failures.withLock { $0.append("read: \(error)") } }
                    }
                }
            }
        }
        for _ in 0..<30 {
            try cache.suspend()
            #expect(try directory.descriptors() == [])
            try cache.resume()
        }
        isDone.store(true, ordering: .relaxed)
        callers.wait()
        #expect(failures.withLock { $0 } == [])
        for index in 0..<8 {
            #expect(try cache.model("Note:\(index)", as: Note.self)?.text == "\(written.withLock { $0[index] })")
        }
    }

    private func modes() throws {
        let cache = try open()
        try cache.write(Note(1, "private"))
        try cache.flush()
        guard Store.profile.isPersistent else { return }
        let files = FileManager.default
        func mode(_ path: String) throws -> Int? {
            try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        for isWiped in [false, true] {
            if isWiped { try cache.wipe() }
            #expect(try mode(path) == 0o700)
        }
    }

    private func modesOfOthers() throws {
        let files = FileManager.default
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let cache = try open()
        try cache.write(Note(1, "private"), durability: .durable)
        func mode(_ path: String) throws -> Int {
            try #require(files.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        }
        let directory = try mode(path)
        for name in try files.contentsOfDirectory(atPath: path) {
            #expect(try directory & 0o077 == 0 || mode(path + "/" + name) & 0o077 == 0, "\(name)")
        }
    }

    private func retrying() throws {
        let cache = try open()
        try cache.write(Note(1, "kept"))
        try cache.suspend()
        let files = FileManager.default
        try files.moveItem(atPath: path, toPath: path + " away")
        try Data("a file".utf8).write(to: URL(fileURLWithPath: path))
        #expect(code { try cache.resume() } == .notAStore)
        #expect(code { _ = try cache.model("Note:1", as: Note.self) } == .suspended)
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: path + " away", toPath: path)
        try cache.resume()
        #expect(try cache.model("Note:1", as: Note.self) == Note(1, "kept"))
    }

    private func closing() throws {
        let cache = try open()
        try cache.write(Note(1, "kept"))
        try cache.suspend()
        cache.close()
        #expect(code { try cache.resume() } == .closed)
        let again = try open()
        #expect(try again.model("Note:1", as: Note.self) == Note(1, "kept"))
        try again.suspend()
    }

    private func setWhileSuspended() throws {
        let cache = try open()
        for index in 0..<3 { try cache.write(Note(index, "old")) }
        try cache.suspend()
        cache.setModel(Note(1, "new"), forKey: "Note:1", context: nil)
        cache.deleteModel(Note(2, "old"), forKey: nil, context: nil)
        #expect(try directory.descriptors() == [])
        cache.close()
        #expect(try directory.descriptors() == [])
        let again = try open()
        let texts = try (0..<3).map { try again.model(ModelIdentifier("Note:\($0)"), as: Note.self)?.text }
        #expect(texts == ["old", nil, nil])
        // A directory that is gone is not made for that.
        try again.suspend()
        again.setModel(Note(0, "new"), forKey: "Note:0", context: nil)
        try FileManager.default.removeItem(atPath: path)
        again.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    func code(_ body: () throws -> Void) -> CacheError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CacheError)?.code ?? CacheError.Code("untyped")
        }
    }

    private func codeInTask(_ body: () async throws -> Void) async -> CacheError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? CacheError)?.code ?? CacheError.Code("untyped")
        }
    }
}

/// A model of the tests that need one and no macro.
struct Note: CodableModel, Equatable {
    var id: Int
    var text: String

    init(_ id: Int, _ text: String) {
        self.id = id
        self.text = text
    }

    var modelIdentifier: ModelIdentifier? { "Note:\(id)" }
}
