import GroveCache
import GroveCoding
import GroveModel
import Synchronization

/// The target of the fuzzer: reading a record of any bytes ends in a value, a miss or a typed error.
///
/// The first byte of the input selects the type as which the record is read, and whether its checksum is corrected. The
/// rest is a shape, one record, or two: one for the root, and one for every node that it refers to.
enum RecordFuzzer {
    /// The bits of the first byte above the four bits of the type.
    static let two: UInt8 = 0x10
    static let unsealed: UInt8 = 0x20
    static let shape: UInt8 = 0x40

    static let cache = try? NormalizedCache<FuzzedStore>(directory: nil, options: FuzzedStore.Options())

    /// Reads the input as a record of one of the kit's types, or as a shape.
    ///
    /// - Returns: whether it is one.
    @discardableResult
    static func read(_ input: UnsafeRawBufferPointer) -> Bool {
        guard let mode = unsafe input.first, let cache else { return false }
        guard mode & shape == 0 else {
            return (try? unsafe RecordShape(UnsafeRawBufferPointer(rebasing: input.dropFirst()))) != nil
        }
        var bytes = unsafe Array(input.dropFirst())
        var other = bytes
        if mode & two != 0, let cut = bytes.popLast() {
            let middle = min(Int(cut), bytes.count)
            other = Array(bytes[middle...])
            bytes = Array(bytes[..<middle])
        }
        FuzzedStore.records.withLock { $0 = Records(root: bytes, other: other, isSealed: mode & unsealed == 0) }
        switch mode & 0x0F {
        case 0: return read(Person.self, from: cache)
        case 1: return read(Message.self, from: cache)
        case 2: return read(Values.self, from: cache)
        case 3: return read(Numbers.self, from: cache)
        case 4: return read(Shelf.self, from: cache)
        case 5: return read(Branch.self, from: cache)
        case 6: return read(FullProfile.self, from: cache)
        case 7: return read(NestHolder.self, from: cache)
        case 8: return read(FeedItem.self, from: cache)
        case 9: return read(CodableNode<CodableValues>.self, from: cache)
        case 10: return read(CodableNode<CodableLetter>.self, from: cache)
        case 11: return readCollection(Letter.self, from: cache, missing: .skip)
        case 12: return readCollection(FeedItem.self, from: cache, missing: .miss)
        case 13: return read(Parcel.self, from: cache)
        case 15: return read(AddressProfile.self, from: cache)
        default: return read(Moments.self, from: cache)
        }
    }

    private static func read<M: CacheableModel>(_ type: M.Type, from cache: NormalizedCache<FuzzedStore>) -> Bool {
        (try? cache.read(FuzzedStore.root, as: type))?.value != nil
    }

    private static func readCollection<M: CacheableModel>(
        _ type: M.Type, from cache: NormalizedCache<FuzzedStore>, missing: MissingElements
    ) -> Bool {
        (try? cache.readCollection(FuzzedStore.root.rawValue, of: type, missing: missing))?.value != nil
    }
}

/// Writes the seeds to the corpus, which is the first argument; libFuzzer calls this once, before any input.
@_cdecl("LLVMFuzzerInitialize")
public func prepareFuzzer(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>?
) -> CInt {
    do {
        try Seeds.write(to: CommandLine.arguments[1])
    } catch {
        preconditionFailure("the seeds: \(error)")
    }
    return 0
}

/// Reads one input as a record; libFuzzer calls this for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneRecord(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe RecordFuzzer.read(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
