import Foundation
import GroveCache
import GroveCoding
import GroveInspect
import GroveMemory
import GroveModel
import Synchronization

/// What the fuzzer begins with: records of the kit's types, as this version writes them.
enum Seeds {
    private static let id = FuzzedStore.root.rawValue

    /// Writes each seed as a file to `folder`, and keeps the shapes of all of them for the reads.
    static func write(to folder: String) throws {
        let ada = Person(id: "a", name: "Ada", age: 36)
        let letter = Letter(id: id, author: ada)
        try add("person", 0, folder) { try $0.write(ada.named(id)) }
        try add("person-deleted", 0, folder, isWhole: false) { cache in
            try cache.write(ada.named(id))
            try cache.delete(FuzzedStore.root)
        }
        try add("person-again", 0, folder) { cache in
            try cache.write(ada.named(id))
            try cache.delete(FuzzedStore.root)
            try cache.write(ada.named(id))
        }
        try add("message", 1, folder) { try $0.write(Message.full(id)) }
        try add("message-plain", 1, folder) { try $0.write(Message(id: id, kind: .poll(choices: 3), sender: ada)) }
        try add("values", 2, folder) { try $0.write(Values(id: id, map: ["a": 1, "b": -2], ref: ada, set: [1, 500])) }
        try add("numbers", 3, folder) { cache in
            try cache.write(
                Numbers(
                    id: id, signed: [0, -1, .min, .max], unsigned: [24, .max], doubles: [0.5, 1e300, .nan],
                    floats: [-0.0]))
        }
        try add("shelf", 4, folder, isWhole: false) {
            try $0.write(Shelf(id: id, top: letter.named("l"), letters: [letter.named("m")]))
        }
        try add("branch", 5, folder) { cache in
            try cache.write(Branch(id: id, label: 1, boss: ada, parts: [Branch(id: "b", parts: [Branch(id: id)])]))
        }
        try add("profile", 6, folder) { try $0.write(FullProfile(id: id)) }
        try add("profile-shared", 6, folder) { cache in
            try cache.write(FullProfile(id: id))
            try cache.write(SmallProfile(id: id, name: "Augusta"))
            try cache.write(ProfileBio(id: id, bio: nil))
        }
        try add("nest", 7, folder) { try $0.write(NestHolder(id: id, nest: .levels(5))) }
        try add("feed", 8, folder, isWhole: false) { try $0.write(FeedItem.letter(letter)) }
        try add("codable-values", 9, folder) { cache in
            try cache.write(CodableNode(CodableValues(id: id, map: ["a": 1], ref: CodablePerson(id: "a"), set: [7])))
        }
        try add("codable-letter", 10, folder) {
            try $0.write(CodableNode(CodableLetter(id: id, author: CodablePerson(id: "a"))))
        }
        try add("collection", 11, folder) { try $0.writeCollection([letter.named("l"), letter.named("m")], as: id) }
        try add("collection-edited", 11, folder) { cache in
            try cache.writeCollection([letter.named("l"), letter.named("m")], as: id)
            try cache.append([letter.named("n")], toCollection: id)
        }
        // Lost parts of a list are gaps.
        try add("collection-long", 11, folder) {
            try $0.writeCollection((0..<300).map { letter.named("\($0)") }, as: id)
        }
        try add("collection-feed", 12, folder) { try $0.writeCollection([FeedItem.person(ada), .author(ada)], as: id) }
        try add("parcel", 13, folder, isWhole: false) { try $0.write(Parcel(id: id, letter: letter.named("l"))) }
        try add("moments", 14, folder) { cache in
            try cache.write(
                Moments(
                    id: id, data: Data([1, 2, 3]), uuid: UUID(), dates: Moments.edges,
                    links: [URL(filePath: "/a")], prices: [1.5, -0.001]))
        }
        try add("address", 15, folder) { try $0.write(AddressProfile(id: id)) }
        try add("address-shared", 15, folder, isWhole: false) { cache in
            try cache.write(AddressProfile(id: id))
            try cache.write(TownProfile(id: id))
        }
    }

    /// Fills a cache in memory by `fill`, and writes what it stored as one input: the root's record, and another one.
    ///
    /// - Parameter isWhole: whether those two are enough to read the root.
    private static func add(
        _ name: String, _ type: UInt8, _ folder: String, isWhole: Bool = true, _ fill: (MemoryCache) throws -> Void
    ) throws {
        let cache = try MemoryCache()
        try fill(cache)
        var root: [UInt8]?
        var other: [UInt8] = []
        for kind in [StoredRecord.Kind.node, .chunk, .collection] {
            try unsafe cache.forEachStoredValue(kind) { key, value in
                if unsafe key.dropFirst().elementsEqual(id.utf8) {
                    unsafe root = Array(value)
                } else {
                    unsafe other = Array(value)
                }
                return true
            }
        }
        try unsafe cache.forEachStoredValue(.shape) { key, value in
            FuzzedStore.shapes.withLock { unsafe $0[Array(key)] = Array(value) }
            // Behind the envelope: version, flags, checksum, a number of one byte, the time.
            try? unsafe save([RecordFuzzer.shape] + Array(value.dropFirst(15)), "shape-\(name)", folder)
            return true
        }
        guard let root else { preconditionFailure("\(name) is not stored under \(id)") }
        // The last byte says where the second record begins: there is none behind a root of more than 255 bytes.
        let isPair = !other.isEmpty && root.count <= UInt8.max
        let input = isPair ? [type | RecordFuzzer.two] + root + other + [UInt8(root.count)] : [type] + root
        precondition(unsafe input.withUnsafeBytes { unsafe RecordFuzzer.read($0) } == isWhole, "the seed \(name)")
        try save(input, name, folder)
    }

    private static func save(_ input: [UInt8], _ name: String, _ folder: String) throws {
        try Data(input).write(to: URL(filePath: folder).appending(path: name))
    }
}

extension Person {
    fileprivate func named(_ id: String) -> Person { Person(id: id, name: name, age: age) }
}

extension Letter {
    fileprivate func named(_ id: String) -> Letter { Letter(id: id, author: author) }
}
