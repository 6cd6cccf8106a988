/// The pages that one commit does not use: what lies on them was replaced or removed, or was never committed.
///
/// A bit for each page, in chunks that later commits share where nothing changed: a chunk covers 128 MiB of the usual
/// pages of 4 KiB, and takes 4 KiB.
struct LMDBFreePages: Sendable {
    private static let chunkShift: UInt = 15
    private static let wordsPerChunk = 1 << (Int(chunkShift) - 6)

    /// The number of the commit.
    var commit: UInt = 0
    /// The last page that the commit has, the greatest number where that is not known.
    var last = UInt.max
    private var chunks: [[UInt64]] = []

    /// Whether the commit does not use `page`.
    ///
    /// - Complexity: O(1), without allocation.
    func contains(_ page: UInt) -> Bool {
        guard page <= last else { return true }
        let chunk = page >> Self.chunkShift
        guard chunk < UInt(chunks.count) else { return false }
        return chunks[Int(chunk)][Self.word(page)] & Self.bit(page) != 0
    }

    /// All of them, in order, those behind the last one left out.
    ///
    /// - Complexity: O(*n*) in pages.
    var listed: [UInt] {
        var pages: [UInt] = []
        for (index, words) in chunks.enumerated() {
            for (place, word) in words.enumerated() where word != 0 {
                let first = UInt(index) << Self.chunkShift + UInt(place * 64)
                pages += (first..<(first + 64)).filter { contains($0) && $0 <= last }
            }
        }
        return pages
    }

    /// Counts `page` among the free ones.
    mutating func insert(_ page: UInt32) {
        let chunk = Int(page >> Self.chunkShift)
        while chunks.count <= chunk { chunks.append([UInt64](repeating: 0, count: Self.wordsPerChunk)) }
        chunks[chunk][Self.word(UInt(page))] |= Self.bit(UInt(page))
    }

    /// Counts `page`, which was free, among those in use.
    mutating func remove(_ page: UInt32) {
        chunks[Int(page >> Self.chunkShift)][Self.word(UInt(page))] &= ~Self.bit(UInt(page))
    }

    private static func word(_ page: UInt) -> Int { Int(page >> 6) & (wordsPerChunk - 1) }

    private static func bit(_ page: UInt) -> UInt64 { 1 << UInt64(page & 63) }
}
