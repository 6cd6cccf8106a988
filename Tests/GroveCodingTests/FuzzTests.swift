import GroveCoding
import GroveModel
import TestSupport
import Testing

@Suite("Hostile bytes") struct FuzzTests {
    /// Puts `body` in the place of the node that is read.
    private func read<M: CacheableModel>(_ type: M.Type, _ body: [UInt8], _ source: TreeSource) -> String {
        failure {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: body.count, alignment: 1)
            defer { unsafe copy.deallocate() }
            unsafe copy.copyBytes(from: body)
            source.forget()
            var decoder = unsafe NodeDecoder(
                UnsafeRawBufferPointer(copy), source: source, isStable: false)
            return try decoder.fieldsHere(type)
        }
    }

    private func fuzz<M: CacheableModel>(_ type: M.Type, _ encoded: Encoded, seed: UInt64, rounds: Int) -> [String: Int]
    {
        var random = SeededGenerator(seed: seed)
        let source = TreeSource(encoded.tree)
        let bodies = encoded.bodies
        guard let body = bodies.first(where: { $0.key.rawValue.hasPrefix("Message") })?.value else { return [:] }
        var outcomes: [String: Int] = [:]
        for _ in 0..<rounds {
            var mutated = body
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard !mutated.isEmpty else { break }
                let index = Int.random(in: mutated.indices, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: mutated[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: mutated[index] = UInt8.random(in: 0...255, using: &random)
                case 2: mutated.removeSubrange(index...)
                case 3: mutated.remove(at: index)
                case 4: mutated.insert(UInt8.random(in: 0...255, using: &random), at: index)
                default:
                    let heads: [UInt8] = [0x9B, 0xBB, 0x5B, 0x7B, 0xDB, 0x3B, 0xF6, 0x81, 0xFF, 0x9F]
                    mutated[index] = heads.randomElement(using: &random) ?? 0
                }
            }
            let outcome = read(type, mutated, source)
            outcomes[outcome.hasPrefix("absent") ? "absent" : outcome, default: 0] += 1
        }
        return outcomes
    }

    private static let words: Set = ["none", "otherShape", "incomplete", "corrupted", "absent", "tooDeep"]

    @Test("Damaged bodies are read as something, or fail typed: by hand", arguments: 1...4 as ClosedRange<UInt64>)
    func hand(seed: UInt64) throws {
        let outcomes = fuzz(HandMessage.self, try Encoded(HandMessage.sample(seed)), seed: seed, rounds: 30_000)
        #expect(outcomes.values.reduce(0, +) == 30_000)
        #expect(Set(outcomes.keys).isSubset(of: FuzzTests.words), "\(outcomes)")
        #expect((outcomes["corrupted"] ?? 0) > 1_000 && (outcomes["otherShape"] ?? 0) > 1_000)
    }

    @Test("Damaged bodies are read as something, or fail typed: by Codable", arguments: 5...8 as ClosedRange<UInt64>)
    func codable(seed: UInt64) throws {
        let sample = CodableNode(PlainMessage(HandMessage.sample(seed)))
        let outcomes = fuzz(CodableNode<PlainMessage>.self, try Encoded(sample), seed: seed, rounds: 20_000)
        #expect(outcomes.values.reduce(0, +) == 20_000)
        #expect(Set(outcomes.keys).isSubset(of: FuzzTests.words), "\(outcomes)")
    }

    @Test("A body cut short anywhere is damage") func truncation() throws {
        let encoded = try Encoded(HandMessage.sample(1))
        let body = try #require(encoded.bodies["Message:m1"])
        let source = TreeSource(encoded.tree)
        for length in 0..<body.count {
            let cut = Array(body[..<length])
            #expect(read(HandMessage.self, cut, source) == "corrupted", "\(length)")
            #expect(read(CodableNode<PlainMessage>.self, cut, source) == "corrupted", "\(length)")
        }
    }

    @Test("Noise is never more than a typed failure") func noise() {
        var random = SeededGenerator(seed: 99)
        let source = TreeSource(NodeTree())
        var outcomes: Set<String> = []
        for _ in 0..<20_000 {
            let noise = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let outcome = read(HandMessage.self, noise, source)
            outcomes.insert(outcome)
        }
        #expect(outcomes.isSubset(of: ["corrupted", "otherShape", "incomplete"]))
    }
}
