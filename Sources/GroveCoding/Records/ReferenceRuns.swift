public import GroveModel

/// The calls that put the elements in a record of a collection there, one element after the other.
///
/// If all were put there by the call that the record's number names, no table is stored. Otherwise a table stands
/// before the body: for each run of neighbours their count, one byte, and the call's number.
@safe @usableFromInline
package struct ReferenceRuns {
    @usableFromInline var table: EnvelopeReader
    @usableFromInline var left: Int
    @usableFromInline var number: CallNumber

    /// The most elements of a run.
    package static let most = 255

    /// The runs of the record of `header`.
    @inlinable
    package init(_ header: RecordHeader) {
        let isTold = header.flags.contains(.runs)
        table = unsafe EnvelopeReader(isTold ? header.projectionTable : UnsafeRawBufferPointer(start: nil, count: 0))
        left = isTold ? 0 : .max
        number = header.sequence
    }

    /// The runs in `table`.
    @inlinable
    package init(table: UnsafeRawBufferPointer) {
        self.table = unsafe EnvelopeReader(table)
        left = 0
        number = .zero
    }

    /// The number of the call that put the next element there.
    ///
    /// - Throws: `corrupted` if there are fewer runs than elements.
    @inlinable
    package mutating func next() throws(NodeReadFailure) -> CallNumber {
        if left == 0 {
            do throws(RecordHeader.Failure) {
                left = Int(try table.byte())
                number = try table.number()
            } catch {
                throw .corrupted
            }
            guard left > 0 else { throw .corrupted }
        }
        left -= 1
        return number
    }

    /// The table of `numbers`, the calls of elements one after the other.
    package static func table(of numbers: [CallNumber]) -> [UInt8] {
        var out: [UInt8] = []
        var start = 0
        while start < numbers.count {
            var end = start + 1
            while end < numbers.count, end - start < most, numbers[end] == numbers[start] { end += 1 }
            out.append(UInt8(end - start))
            out.append(number: numbers[start])
            start = end
        }
        return out
    }
}
