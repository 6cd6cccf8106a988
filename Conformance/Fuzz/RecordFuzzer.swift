import GroveCache
public import GroveCoding
import GroveModel
import Synchronization

/// The target of the fuzzer: whatever the bytes of a record are, reading it ends in a value, a miss or a typed error.
///
/// The first byte of the input says as what the record is read and whether its checksum is made right; the rest is the
/// record, or two of them: one for the root, and one for everything that it refers to.
enum RecordFuzzer {
    static let cache = try? NormalizedCache<FuzzedStore>(directory: nil, options: FuzzedStore.Options())

    /// Reads the input as a record of one of the kit's types.
    static func read(_ input: UnsafeRawBufferPointer) {
        guard let mode = unsafe input.first, let cache else { return }
        var bytes = unsafe Array(input.dropFirst())
        var other = bytes
        if mode & 0x10 != 0, let cut = bytes.popLast() {
            let middle = min(Int(cut), bytes.count)
            other = Array(bytes[middle...])
            bytes = Array(bytes[..<middle])
        }
        FuzzedStore.records.withLock { $0 = Records(root: bytes, other: other, isSealed: mode & 0x20 == 0) }
        switch mode & 0x0F {
        case 0: read(Person.self, from: cache)
        case 1: read(Message.self, from: cache)
        case 2: read(Values.self, from: cache)
        case 3: read(Numbers.self, from: cache)
        case 4: read(Shelf.self, from: cache)
        case 5: read(Branch.self, from: cache)
        case 6: read(FullProfile.self, from: cache)
        case 7: read(NestHolder.self, from: cache)
        case 8: read(FeedItem.self, from: cache)
        case 9: read(CodableValues.self, from: cache)
        case 10: read(CodableLetter.self, from: cache)
        case 11: readCollection(Letter.self, from: cache, missing: .skip)
        case 12: readCollection(FeedItem.self, from: cache, missing: .miss)
        case 13: read(Parcel.self, from: cache)
        case 15: read(AddressProfile.self, from: cache)
        default: read(Moments.self, from: cache)
        }
    }

    private static func read<M: CacheableModel>(_ type: M.Type, from cache: NormalizedCache<FuzzedStore>) {
        _ = try? cache.read(FuzzedStore.root, as: type)
    }

    private static func read<M: SimpleModel & Codable>(_ type: M.Type, from cache: NormalizedCache<FuzzedStore>) {
        _ = try? cache.read(FuzzedStore.root, as: type)
    }

    private static func readCollection<M: CacheableModel>(
        _ type: M.Type, from cache: NormalizedCache<FuzzedStore>, missing: MissingElements
    ) {
        _ = try? cache.readCollection(FuzzedStore.root.rawValue, of: type, missing: missing)
    }
}

/// What libFuzzer calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneRecord(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe RecordFuzzer.read(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
