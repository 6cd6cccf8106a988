import GroveModel

/// What is kept of ages beside the store: written at quiet moments and at closing, in place of what it held.
///
/// It says which session of the store it is from, and how far that had come. Where the store was written by another
/// session since, nothing of it is believed: a store that was wiped, replaced or put back from a copy has another one, or an
/// earlier number. What the same session wrote later is of unknown age. So what is lost, damaged or old makes records older
/// than they are, and never younger.
///
/// ```
/// 8  "GrvAges" and the version      8  session                 8  sequence
/// 8  latest time                    8  floor
/// 4  samples    4  gaps    4  confirmations, then each as two words:
///    number, time    first, last    hash, time
/// 8  hash64 of all that, seed 2
/// ```
struct AgeFile: Sendable {
    static let name = "grove-ages"

    var session: UInt64
    var sequence: UInt64
    var line: AgeLine
    var confirmations: [(hash: UInt64, time: Double)] = []

    private static let mark: UInt64 = 0x0173_6567_4176_7247
    private static let headBytes = 5 * 8 + 3 * 4

    init(session: UInt64, sequence: UInt64, line: AgeLine, confirmations: [(hash: UInt64, time: Double)]) {
        self.session = session
        self.sequence = sequence
        self.line = line
        self.confirmations = confirmations
    }

    /// The file as bytes, at most `limit` of them: confirmations give way first, the oldest before others.
    func encoded(limit: Int) -> [UInt8]? {
        let room = limit - AgeFile.headBytes - 8 - (line.samples.count + line.gaps.count) * 16
        guard room >= 0 else { return nil }
        var confirmations = confirmations
        if confirmations.count > room / 16 {
            confirmations.sort { $0.time > $1.time }
            confirmations.removeLast(confirmations.count - room / 16)
        }
        var out = ByteBuffer(capacity: limit - room + confirmations.count * 16)
        defer { out.deallocate() }
        for word in [AgeFile.mark, session, sequence, line.latest.bitPattern, line.floor] {
            out.append(littleEndian: word)
        }
        for count in [line.samples.count, line.gaps.count, confirmations.count] {
            out.append(littleEndian: UInt32(count))
        }
        for sample in line.samples { AgeFile.append(sample.number, sample.time.bitPattern, to: &out) }
        for gap in line.gaps { AgeFile.append(gap.lowerBound, gap.upperBound, to: &out) }
        for entry in confirmations { AgeFile.append(entry.hash, entry.time.bitPattern, to: &out) }
        unsafe out.append(littleEndian: hash64(out.bytes, seed: 2))
        return unsafe Array(out.bytes)
    }

    private static func append(_ first: UInt64, _ second: UInt64, to out: inout ByteBuffer) {
        out.append(littleEndian: first)
        out.append(littleEndian: second)
    }

    /// Reads what ``encoded(limit:)`` made; `nil` where the bytes are anything else.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= AgeFile.headBytes + 8 else { return nil }
        let parts: (words: [UInt64], counts: [Int])? = unsafe bytes.withUnsafeBytes { bytes in
            func word(_ offset: Int) -> UInt64 {
                unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            let end = bytes.count - 8
            let sum = unsafe hash64(UnsafeRawBufferPointer(rebasing: bytes[..<end]), seed: 2)
            guard sum == word(end), word(0) == AgeFile.mark else { return nil }
            let counts = (0..<3).map { index in
                unsafe Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 40 + 4 * index, as: UInt32.self)))
            }
            guard (end - AgeFile.headBytes) == counts.reduce(0, +) * 16 else { return nil }
            return ((0..<5).map { word($0 * 8) } + stride(from: AgeFile.headBytes, to: end, by: 8).map(word), counts)
        }
        guard let parts else { return nil }
        var pairs = stride(from: 5, to: parts.words.count, by: 2).map { (parts.words[$0], parts.words[$0 + 1]) }[...]
        func take(_ count: Int) -> ArraySlice<(UInt64, UInt64)> {
            defer { pairs = pairs.dropFirst(count) }
            return pairs.prefix(count)
        }
        let samples = take(parts.counts[0]).map { AgeLine.Sample(number: $0.0, time: Double(bitPattern: $0.1)) }
        let gaps = take(parts.counts[1])
        guard gaps.allSatisfy({ $0.0 <= $0.1 }) else { return nil }
        confirmations = take(parts.counts[2]).map { ($0.0, Double(bitPattern: $0.1)) }
        session = parts.words[1]
        sequence = parts.words[2]
        line = AgeLine(
            samples: samples, gaps: gaps.map { $0.0...$0.1 }, floor: parts.words[4],
            latest: Double(bitPattern: parts.words[3]))
    }
}
