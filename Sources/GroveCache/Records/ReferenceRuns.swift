import GroveCoding

/// By which calls the elements in a record of a collection were put there, one element after the other.
///
/// Where all were put there by the call that the record's number names, nothing more is stored. Otherwise a table stands
/// between names and body: for each run of neighbours their number, one byte, and the call's, eight.
@safe
struct ReferenceRuns {
    private var table: UnsafeRawBufferPointer
    private var left: Int
    private var number: UInt64

    /// The most elements of a run.
    static let most = 255
    private static let entryBytes = 9

    /// The runs of the record of `header`.
    init(_ header: RecordHeader) {
        let isTold = header.flags.contains(.runs)
        unsafe table = isTold ? header.projectionTable : UnsafeRawBufferPointer(start: nil, count: 0)
        left = isTold ? 0 : .max
        number = header.sequence
    }

    /// The runs in `table`.
    init(table: UnsafeRawBufferPointer) {
        unsafe self.table = unsafe table
        left = 0
        number = 0
    }

    /// The number of the call that put the next element there.
    ///
    /// - Throws: `corrupted` where there are fewer runs than elements.
    mutating func next() throws(NodeReadFailure) -> UInt64 {
        if left == 0 {
            guard unsafe table.count >= ReferenceRuns.entryBytes else { throw .corrupted }
            left = unsafe Int(table[0])
            number = unsafe UInt64(littleEndian: table.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
            unsafe table = unsafe UnsafeRawBufferPointer(rebasing: table[ReferenceRuns.entryBytes...])
            guard left > 0 else { throw .corrupted }
        }
        left -= 1
        return number
    }

    /// The table of `numbers`, those of elements one after the other.
    static func table(of numbers: [UInt64]) -> [UInt8] {
        var out: [UInt8] = []
        var start = 0
        while start < numbers.count {
            var end = start + 1
            while end < numbers.count, end - start < most, numbers[end] == numbers[start] { end += 1 }
            out.append(UInt8(end - start))
            for byte in 0..<8 { out.append(UInt8(truncatingIfNeeded: numbers[start] >> UInt64(8 * byte))) }
            start = end
        }
        return out
    }
}
