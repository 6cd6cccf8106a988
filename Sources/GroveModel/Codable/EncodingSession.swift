/// The memory behind one ``CollectedValue``: encoded leaves, and the containers that hold them.
final class EncodingSession {
    /// The leaves, one after the other, as they were encoded.
    var leaves: ByteBuffer {
        get { unsafe stored.leaves }
        _modify { yield unsafe &stored.leaves }
    }

    /// Every container of the value, so that a deep chain of them is let go of without recursion.
    private var boxes: [EncodingBox] {
        get { unsafe stored.boxes }
        _modify { yield unsafe &stored.boxes }
    }

    /// Whether the value's `encode(to:)` is running; what is encoded afterwards is refused.
    var isOpen: Bool {
        get { unsafe stored.isOpen }
        _modify { yield unsafe &stored.isOpen }
    }

    /// The first failure, kept because user code may swallow it.
    var failure: CacheError? {
        get { unsafe stored.failure }
        _modify { yield unsafe &stored.failure }
    }

    private struct Stored {
        var leaves = ByteBuffer(capacity: 256)
        var boxes: [EncodingBox] = []
        var isOpen = true
        var failure: CacheError?
    }

    // SAFETY: no code of a user runs while one of these is being changed. Checking each access took a seventh of the time
    // that a `Codable` tree takes to be written.
    @exclusivity(unchecked) private var stored = Stored()

    deinit { leaves.deallocate() }

    /// A container inside `parent`; past the deepest nesting it is detached, and the whole value fails.
    func makeBox(inside parent: EncodingBox?) -> EncodingBox {
        let box = EncodingBox(depth: (parent?.depth ?? 0) + 1)
        if box.depth > LargeStack.maxNesting { fail(EncodingSession.tooDeep) }
        if failure == nil { boxes.append(box) }
        return box
    }

    /// Lets go of what was collected.
    func close() {
        isOpen = false
        for box in boxes { box.items = [] }
        boxes = []
    }

    /// Remembers `error` as the value's failure.
    func fail(_ error: CacheError) {
        if failure == nil { failure = error }
    }

    /// Whether more may be encoded.
    ///
    /// - Throws: the value's failure, or `unencodable` where its encoder outlived it.
    func check() throws(CacheError) {
        if let failure { throw failure }
        guard isOpen else {
            throw CacheError(.unencodable, "An encoder is used only while encode(to:) runs.")
        }
    }

    /// Encodes one leaf with `write`.
    func leaf(_ write: (inout ByteBuffer) -> Void) -> EncodingItem {
        let start = leaves.count
        write(&leaves)
        return EncodingItem(content: .leaf(start..<leaves.count))
    }

    static var tooDeep: CacheError {
        CacheError(.tooDeep, "The model nests more than \(LargeStack.maxNesting) levels.")
    }

    // MARK: Writing

    /// Writes what `box` holds, as one value.
    func write(_ box: EncodingBox, to encoder: inout NodeEncoder) throws(CacheError) {
        switch box.shape {
        case .nothing:
            throw CacheError(.unencodable, "A container that was asked for was left without a value.")
        case .single: try write(box.items[0], to: &encoder)
        case .unkeyed:
            encoder.writeArrayHead(count: box.items.count)
            for item in box.items { try write(item, to: &encoder) }
        case .keyed:
            let order = box.fieldOrder()
            encoder.writeMapHead(count: order.count)
            for index in order {
                encoder.write(box.keys[index])
                try write(box.items[index], to: &encoder)
            }
        }
    }

    private func write(_ item: EncodingItem, to encoder: inout NodeEncoder) throws(CacheError) {
        switch item.content {
        case .leaf(let range): unsafe encoder.out.append(leaves.bytes(in: range))
        case .value(let value, let isPresent):
            if isPresent {
                try CodableValue.encodePresent(value, to: &encoder)
            } else {
                try CodableValue.encode(value, to: &encoder)
            }
        case .box(let inner):
            try encoder.nested { (encoder) throws(CacheError) in try write(inner, to: &encoder) }
        }
    }
}

/// One container of a value that is being collected.
final class EncodingBox {
    /// What kind of container user code asked for.
    enum Shape {
        case nothing
        case keyed
        case unkeyed
        case single
    }

    let depth: Int
    private(set) var shape: Shape {
        get { unsafe stored.shape }
        _modify { yield unsafe &stored.shape }
    }
    /// The names of ``items``, where it is keyed; a name that occurs again replaces what it had.
    private(set) var keys: [String] {
        get { unsafe stored.keys }
        _modify { yield unsafe &stored.keys }
    }
    var items: [EncodingItem] {
        get { unsafe stored.items }
        _modify { yield unsafe &stored.items }
    }

    private struct Stored {
        var shape = Shape.nothing
        var keys: [String] = []
        var items: [EncodingItem] = []
    }

    // SAFETY: as in ``EncodingSession``.
    @exclusivity(unchecked) private var stored = Stored()

    init(depth: Int) { self.depth = depth }

    /// Makes it a container of `shape`, once; containers of several shapes are a mistake of the user's.
    func become(_ shape: Shape, in session: EncodingSession) {
        guard self.shape == .nothing || (self.shape == shape && shape != .single) else {
            session.fail(CacheError(.unencodable, "encode(to:) asked for containers that exclude each other."))
            return
        }
        self.shape = shape
        if shape == .keyed, keys.isEmpty {
            keys.reserveCapacity(8)
            items.reserveCapacity(8)
        }
    }

    func append(_ item: EncodingItem, key: String) {
        keys.append(key)
        items.append(item)
    }

    /// The indices of the fields in the order of their encoded names, the last of each name.
    func fieldOrder() -> [Int] {
        let order = keys.indices.sorted { left, right in
            let comparison = EncodingBox.compare(keys[left], keys[right])
            return comparison == 0 ? left < right : comparison < 0
        }
        return order.indices.compactMap { position in
            let next = position + 1
            let isReplaced =
                next < order.count && EncodingBox.compare(keys[order[position]], keys[order[next]]) == 0
            return isReplaced ? nil : order[position]
        }
    }

    /// The order of two names' encodings: the shorter first, then by bytes.
    private static func compare(_ left: String, _ right: String) -> Int {
        let (leftCount, rightCount) = (left.utf8.count, right.utf8.count)
        guard leftCount == rightCount else { return leftCount - rightCount }
        for (first, second) in zip(left.utf8, right.utf8) where first != second { return Int(first) - Int(second) }
        return 0
    }
}

/// One value inside a container.
struct EncodingItem {
    enum Content {
        /// A leaf, encoded.
        case leaf(Range<Int>)
        /// A value that is encoded when its place is known, and whether it stands for an optional that is not `nil`.
        case value(any Encodable, isPresent: Bool)
        /// A nested container.
        case box(EncodingBox)
    }

    let content: Content
}
