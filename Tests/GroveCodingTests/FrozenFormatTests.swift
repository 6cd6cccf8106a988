import Foundation
import GroveCoding
import Testing

@Suite("The frozen format")
struct FrozenFormatTests {
    /// The hash of the names and bytes of all golden records of version 1, one behind the other, in the order of their
    /// names.
    private static let version1: UInt64 = 9_942_507_236_668_094_843

    @Test("The golden records of version 1 do not change: another format has another number and a folder of its own")
    func frozen() throws {
        let folder = GoldenRecordTests.folder
        var all = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where name.hasSuffix(".json") {
            all.append(contentsOf: name.utf8)
            all.append(try Data(contentsOf: folder.appending(path: name)))
        }
        let hash = unsafe all.withUnsafeBytes { unsafe hash64($0, seed: 1) }
        #expect(hash == FrozenFormatTests.version1, "\(hash)")
    }
}
