import Foundation
import GroveCache
import GroveMemory
import GroveModel
import TestSupport
import Testing

/// References of a record that several projections wrote: each is held or deleted by the write that set it.
@Suite("Places in time")
struct PlaceTests {
    typealias Cache = NormalizedCache<SharedStore>

    let disk: SharedStore.Disk
    let cache: Cache

    init() throws {
        disk = try SharedStore.Disk()
        cache = try Cache(directory: nil, options: SharedStore.Options(disk: disk))
    }

    private func link() throws -> ForkLink? { try cache.model("Fork:a", as: ForkLink.self) }

    @Test("A projection that sets a reference after the deletion holds it, and the other's reference stays deleted")
    func halves() throws {
        let left = ForkStub(id: "l")
        let right = ForkStub(id: "r")
        try cache.write(ForkLink(id: "a", left: left, right: right))
        try cache.delete("Fork:l")
        try cache.delete("Fork:r")
        try cache.write(ForkHalf(id: "a", left: left))
        try cache.write(right)
        #expect(try link() == ForkLink(id: "a", left: left))
        #expect(try cache.write(ForkLink(id: "a", left: left, right: right)).changedModelIds.isEmpty)
        #expect(try link() == ForkLink(id: "a", left: left, right: right))
    }

    @Test("A projection of the same bytes, written anew with its child after the child's deletion, holds it again")
    func refreshed() throws {
        let half = ForkHalf(id: "a", left: ForkStub(id: "l"))
        try cache.write(ForkLink(id: "a", left: half.left, right: ForkStub(id: "r")))
        try cache.write(half)
        try cache.delete("Fork:l")
        #expect(try link()?.left == nil)
        try cache.write(half)
        #expect(try link()?.left == half.left)
    }

    @Test("A reference that its projection lets go of keeps its place for those who carry it")
    func orphaned() throws {
        let left = ForkStub(id: "l")
        try cache.write(ForkHalf(id: "a", left: left))
        try cache.delete("Fork:l")
        try cache.write(ForkSparse(id: "a", left: left))
        try cache.write(ForkSparse(id: "a"))
        #expect(try cache.model("Fork:a", as: ForkHalf.self) == ForkHalf(id: "a", left: left))
    }

    @Test("A reference whose place cannot be kept is forgotten, and brings no other back")
    func orphanedBesideAnother() throws {
        let left = ForkStub(id: "l")
        let right = ForkStub(id: "r")
        try cache.write(ForkLink(id: "a", left: left, right: right))
        try cache.delete("Fork:l")
        try cache.delete("Fork:r")
        try cache.write(right)
        try cache.write(ForkSparse(id: "a", left: left))
        try cache.write(ForkSparse(id: "a"))
        #expect(try cache.read("Fork:a", as: ForkLink.self) == .miss(CacheMiss(.incomplete, "Fork:a")))
    }

    @Test("Random writes of three projections and deletions of their children agree with a model", arguments: 0..<40)
    func randomPrograms(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var model = HolderModel()
        let children = ["x", "y", "z"]
        func name() -> String { children[Int.random(in: children.indices, using: &generator)] }
        func child() -> ForkStub? { Bool.random(using: &generator) ? ForkStub(id: name()) : nil }
        for step in 0..<60 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                let (left, right) = (child(), child())
                try cache.write(ForkLink(id: "a", left: left, right: right))
                model.write(left: .some(left), right: .some(right))
            case 1:
                let left = child()
                try cache.write(ForkHalf(id: "a", left: left))
                model.write(left: .some(left), right: nil)
            case 2:
                try cache.write(ForkStub(id: "a"))
                model.write(left: nil, right: nil)
            case 3:
                let stub = ForkStub(id: name())
                try cache.write(stub)
                model.revive(stub.id)
            default:
                let identifier = name()
                try cache.delete("Fork:\(identifier)")
                model.delete(identifier)
            }
            #expect(try link() == model.link, "step \(step)")
            #expect(try cache.model("Fork:a", as: ForkHalf.self) == model.half, "step \(step)")
        }
    }
}

/// What ``PlaceTests`` expect of one holder and its children.
private struct HolderModel {
    private var clock = 0
    private var left: (child: String?, place: Int)?
    private var right: (child: String?, place: Int)?
    /// When each child was last deleted, and when it was last written.
    private var deletions: [String: Int] = [:]
    private var writes: [String: Int] = [:]

    mutating func write(left newLeft: ForkStub??, right newRight: ForkStub??) {
        clock += 1
        if let newLeft { left = (newLeft?.id, clock) }
        if let newRight { right = (newRight?.id, clock) }
        for child in [newLeft ?? nil, newRight ?? nil] { if let child { writes[child.id] = clock } }
    }

    mutating func revive(_ child: String) {
        clock += 1
        writes[child] = clock
    }

    mutating func delete(_ child: String) {
        clock += 1
        deletions[child] = clock
    }

    private func shown(_ field: (child: String?, place: Int)) -> ForkStub? {
        guard let child = field.child else { return nil }
        let deletion = deletions[child, default: 0]
        return deletion > field.place || deletion > writes[child, default: 0] ? nil : ForkStub(id: child)
    }

    var link: ForkLink? {
        guard let left, let right else { return nil }
        return ForkLink(id: "a", left: shown(left), right: shown(right))
    }

    var half: ForkHalf? { left.map { ForkHalf(id: "a", left: shown($0)) } }
}
