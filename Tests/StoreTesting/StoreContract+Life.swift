import Foundation
import GroveCache
import GroveModel
import TestSupport
import Testing

/// Opening, wiping and closing.
extension StoreContract {
    static var lifeChecks: [Check] {
        [
            Check("After a wipe no file holds a byte of the old content, and the store goes on") { try $0.wiping() },
            Check("After close calls throw `closed`, and a second close does nothing") { try $0.closing() },
        ]
    }

    /// For the stores that outlive the process.
    static var directoryChecks: [Check] {
        [
            Check("Reopening finds what was written, also when nobody closed the store or ended its views") {
                try $0.reopening()
            },
            Check("Cycles of opening and closing leak no descriptor") { try $0.cycles() },
            Check("A directory that is missing, a file, or of no name is reported") { try $0.wrongPaths() },
            Check("A directory of another engine's is not a store, and is left as it is") { try $0.strangers() },
        ]
    }

    private func wiping() throws {
        let store = try open()
        try store.put(Array("marker-key".utf8), Array("marker-value".utf8))
        try store.synchronize()
        #expect(try directory.files(holding: "marker-value").isEmpty == !Store.profile.isPersistent)
        try store.wipe()
        #expect(try directory.files(holding: "marker-") == [])
        #expect(try store.keys().isEmpty)
        #expect(try store.size().entries == 0)
        try store.put([1], [1])
        #expect(try store.get([1]) == [1])
    }

    private func closing() throws {
        let store = try open()
        try store.put([1], [1])
        store.close()
        store.close()
        #expect(code { _ = try store.view() } == .closed)
        #expect(code { try store.put([2], [2]) } == .closed)
        #expect(code { _ = try store.size() } == .closed)
        #expect(code { try store.wipe() } == .closed)
    }

    private func reopening() throws {
        do {
            let store = try open()
            try store.put([1], [1])
            store.close()
        }
        for index in 2..<5 as Range<UInt8> {
            let store = try open()
            #expect(try store.get([1]) == [1])
            try store.put([index], [index])
            try store.synchronize()
            _ = try store.view()
        }
        #expect(try open().keys() == [[1], [2], [3], [4]])
    }

    // A thousand where a cycle is cheap: an engine for one process checks its files at every opening.
    private func cycles() throws {
        func cycle(_ index: Int) throws {
            let store = try open()
            if index % 100 == 0 { try store.put([UInt8(index / 100)], [1]) }
            _ = try store.get([0])
            if index % 2 == 0 { store.close() }
        }
        for index in 0..<5 { try cycle(index) }
        let before = try directory.descriptors()
        for index in 0..<(Store.profile.isMultiProcess ? 1_000 : 200) { try cycle(index) }
        #expect(try directory.descriptors() == before)
    }

    private func wrongPaths() throws {
        try Data([1]).write(to: directory.url("file"))
        let paths: [(path: String?, code: CacheError.Code)] = [
            (directory.path + "/missing", .inputOutput), (directory.path + "/file", .notAStore),
            ("", .inputOutput), ("a\0b", .inputOutput), (nil, .unsupported),
        ]
        for (path, expected) in paths {
            #expect(code { _ = try opening(path) } == expected, "\(path.debugDescription)")
        }
        #expect(try directory.files() == ["file"])
    }

    private func strangers() throws {
        try open().close()
        let own = try directory.files()
        for name in ["data.mdb", "store.sqlite", "CURRENT"] where !own.contains(name) {
            let other = try TemporaryDirectory()
            try Data("x".utf8).write(to: other.url(name))
            #expect(code { _ = try opening(other.path) } == .notAStore, "\(name)")
            #expect(try other.files() == [name])
        }
    }
}
