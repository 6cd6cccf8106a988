/// The pages that one commit does not use: what lies on them was replaced or removed, or was never committed.
///
/// A bit for each page up to the last free one: 1.6 KB for 50 MB.
// SAFETY: only the list changes it, under its lock and while nobody else holds it.
@safe final class LMDBFreePages: @unchecked Sendable {
    /// The number of the commit.
    var commit: UInt = 0
    /// The last page that the commit has, the greatest number where that is not known.
    var last = UInt.max
    private(set) var words: UnsafeMutablePointer<UInt64>
    private(set) var wordCount: Int

    /// No pages.
    init() {
        unsafe words = UnsafeMutablePointer.allocate(capacity: 0)
        wordCount = 0
    }

    /// The same as `other`.
    init(_ other: LMDBFreePages) {
        commit = other.commit
        last = other.last
        wordCount = other.wordCount
        unsafe words = UnsafeMutablePointer.allocate(capacity: wordCount)
        unsafe words.initialize(from: other.words, count: wordCount)
    }

    deinit { unsafe words.deallocate() }

    /// All of them, in order, those behind the last one left out.
    ///
    /// - Complexity: O(*n*) in pages.
    var listed: [UInt] {
        var pages: [UInt] = []
        for place in 0..<wordCount {
            let word = unsafe words[place]
            for bit in 0..<64 where word >> UInt64(bit) & 1 != 0 && place * 64 + bit <= last {
                pages.append(UInt(place * 64 + bit))
            }
        }
        return pages
    }

    /// Counts `page` among the free ones.
    func insert(_ page: UInt32) {
        let place = Int(page / 64)
        if place >= wordCount { grow(to: max(place + 1, wordCount * 2)) }
        unsafe words[place] |= 1 << UInt64(page % 64)
    }

    /// Counts `page`, which was free, among those in use.
    func remove(_ page: UInt32) {
        unsafe words[Int(page / 64)] &= ~(1 << UInt64(page % 64))
    }

    private func grow(to count: Int) {
        let grown = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
        unsafe grown.initialize(repeating: 0, count: count)
        unsafe grown.update(from: words, count: wordCount)
        unsafe words.deallocate()
        unsafe words = grown
        wordCount = count
    }
}
