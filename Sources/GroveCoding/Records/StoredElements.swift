public import GroveModel

/// Elements of a collection as they are stored: the encoding of each, and the number of the call that put it there.
@usableFromInline
package struct StoredElements: Sendable {
    /// The encodings, one after the other.
    package private(set) var bytes: [UInt8] = []
    /// The position at which the encoding of each element ends.
    private var ends: [Int] = []
    /// The number of the call that put each element there.
    package private(set) var numbers: [CallNumber] = []
    /// The positions of the elements before which the list has a gap without a length, in order.
    package private(set) var gaps: [Int] = []

    /// The number of an element that was lost.
    @inlinable package static var lostNumber: CallNumber { .max }

    /// `count` elements that were lost.
    package init(lost count: Int) {
        // A null for each.
        bytes = Array(repeating: 0xF6, count: count)
        ends = Array(1..<count + 1)
        numbers = Array(repeating: StoredElements.lostNumber, count: count)
    }

    /// Adds a gap without a length behind the last element.
    package mutating func appendGap() { openGap(before: count) }

    /// Says that elements before position `position` were never fetched.
    package mutating func openGap(before position: Int) {
        guard !gaps.contains(position) else { return }
        gaps.insert(position, at: gaps.firstIndex { $0 > position } ?? gaps.count)
    }

    /// Says that no element is unknown right before `position`.
    package mutating func closeGap(before position: Int) { gaps.removeAll { $0 == position } }

    package var count: Int { ends.count }

    package init() {}

    /// Takes `encoded`, the encodings of elements one after the other, apart.
    ///
    /// - Throws: `corrupted` if they are not encodings.
    package init(_ encoded: UnsafeRawBufferPointer, number: CallNumber) throws(NodeReadFailure) {
        var decoder = unsafe NodeDecoder(encoded, source: NoSource.shared, isStable: true)
        unsafe bytes.append(contentsOf: encoded)
        while !decoder.isAtEnd { ends.append((ends.last ?? 0) + (try unsafe decoder.readEncoded().count)) }
        numbers = Array(repeating: number, count: ends.count)
    }

    /// Takes `list`, an encoded array, apart.
    ///
    /// - Throws: `corrupted` or `otherShape` if it is not an array.
    package init(list: UnsafeRawBufferPointer, number: CallNumber) throws(NodeReadFailure) {
        var decoder = unsafe NodeDecoder(list, source: NoSource.shared, isStable: true)
        let count = try decoder.readArrayHead()
        self = try unsafe StoredElements(
            UnsafeRawBufferPointer(start: decoder.cursor, count: decoder.end - decoder.cursor), number: number)
        guard self.count == count else { throw .corrupted }
    }

    /// Takes the body of the record of `header` apart, which holds elements.
    ///
    /// - Throws: `corrupted` or `otherShape` if it does not.
    package init(_ header: RecordHeader) throws(NodeReadFailure) {
        try unsafe self.init(list: header.body, number: header.sequence)
        var runs = ReferenceRuns(header)
        for index in numbers.indices { numbers[index] = try runs.next() }
    }

    /// The elements of `range`.
    package subscript(range: Range<Int>) -> StoredElements {
        let (start, end) = (offset(range.lowerBound), offset(range.upperBound))
        var part = StoredElements()
        part.bytes = Array(bytes[start..<end])
        part.ends = ends[range].map { $0 - start }
        part.numbers = Array(numbers[range])
        return part
    }

    private func offset(_ index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

    package mutating func append(_ other: StoredElements) { replace(count..<count, with: other, isBehindGap: true) }

    /// Puts `others` in the place of the elements of `range`; at a gap, before it or behind it.
    package mutating func replace(_ range: Range<Int>, with others: StoredElements, isBehindGap: Bool = false) {
        let added = others.count - range.count
        for (index, gap) in gaps.enumerated() where gap > range.lowerBound || range.isEmpty && gap == range.lowerBound {
            if gap > range.lowerBound, gap < range.upperBound {
                gaps[index] = range.lowerBound
            } else if gap > range.lowerBound || !isBehindGap {
                gaps[index] += added
            }
        }
        // Two gaps side by side are one.
        if gaps.count > 1 { gaps = Array(Set(gaps)).sorted() }
        let (start, end) = (offset(range.lowerBound), offset(range.upperBound))
        bytes.replaceSubrange(start..<end, with: others.bytes)
        numbers.replaceSubrange(range, with: others.numbers)
        ends.replaceSubrange(range, with: others.ends.map { $0 + start })
        let growth = others.bytes.count - (end - start)
        for index in range.lowerBound + others.count..<ends.count { ends[index] += growth }
    }

    /// The same elements, put there by call `number`.
    package func numbered(_ number: CallNumber) -> StoredElements {
        var others = self
        others.numbers = Array(repeating: number, count: count)
        return others
    }

    /// Says that call `number` put the element at `index` there, unless a later one did.
    package mutating func renew(at index: Int, _ number: CallNumber) { numbers[index] = max(numbers[index], number) }

    /// The elements in parts that fit into a record each.
    ///
    /// - Parameter areLast: whether they end the list. The end of a list is kept in full chunks, as it grows there;
    ///   elsewhere each part has room.
    package func parts(areLast: Bool) -> [StoredElements] {
        let most = CollectionHead.mostElements
        guard count > most else { return count == 0 ? [] : [self] }
        let parts = (count + most - 1) / most
        let size = areLast ? most : (count + parts - 1) / parts
        return stride(from: 0, to: count, by: size).map { self[$0..<min($0 + size, count)] }
    }

    /// The encoding of the element at `index`.
    package func withElement<Value>(at index: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        unsafe bytes.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[offset(index)..<ends[index]])) }
    }

    /// Whether an element is or holds a reference.
    private var holdsReferences: Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            if unsafe RootReference.isReference(bytes) { return true }
            var isFound = false
            try? unsafe RecordBody.forEachReference(in: bytes) { _ in isFound = true }
            return isFound
        }
    }

    /// Appends the record of these elements to `out`.
    ///
    /// - Parameter sequence: the number of the record; if it is `nil`, the highest number of the elements.
    package func build(
        into out: inout ByteBuffer, key: UnsafeRawBufferPointer, sequence: CallNumber? = nil, time: UInt32
    ) throws(CacheError) {
        let sequence = sequence ?? numbers.max() ?? .zero
        var flags: RecordHeader.Flags = holdsReferences ? .references : []
        var runs: [UInt8] = []
        if numbers.contains(where: { $0 != sequence }) {
            flags.insert(.runs)
            runs = ReferenceRuns.table(of: numbers)
        }
        var body = ByteBuffer(capacity: bytes.count + 9)
        defer { body.deallocate() }
        body.appendHead(CBORMajor.array, UInt64(count))
        unsafe bytes.withUnsafeBytes { unsafe body.append($0) }
        let bodyBytes = unsafe body.bytes
        try unsafe runs.withUnsafeBytesTyped { (runs) throws(CacheError) in
            try unsafe RecordBuilder.build(
                into: &out, key: key, flags: flags, sequence: sequence, time: time, projectionTable: runs,
                body: bodyBytes)
        }
    }
}
