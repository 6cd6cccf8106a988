import GroveModel

/// The memory behind one value's `encode(to:)`: encoded leaves, values to be encoded, and the containers that hold
/// them.
///
/// A session is used again for another value once there is no other reference to it.
final class EncodingSession {
    /// The state of the value that is being collected.
    @safe
    struct Stored {
        /// The leaves, one after the other, as they were encoded.
        var leaves = ByteBuffer(capacity: 256)
        /// The values that may hold models, which are encoded once their place is known.
        var values: [any Encodable] = []
        /// Every container of the value, by number; the first is the value itself.
        var boxes: [EncodingBox] = []
        /// The number of ``boxes`` in use; the others are for the next value.
        var boxCount = 0
        /// Whether the value's `encode(to:)` is running; later calls are refused.
        var isOpen = false
        /// The first failure, kept because user code may swallow it.
        var failure: CacheError?
        /// The type of the value.
        var owner: any Any.Type = Never.self

        /// The name of the type, for messages.
        var ownerName: String { TypeName.of(owner) }

        /// Whether more may be encoded.
        var isRunning: Bool { isOpen && failure == nil }
    }

    // SAFETY: no code of a user runs while one of these is being changed. Checking each access took a seventh of the
    // time that a `Codable` tree takes to be written.
    @exclusivity(unchecked) private var unchecked = Stored()

    var stored: Stored {
        @inline(__always) _read { yield unsafe unchecked }
        @inline(__always) _modify { yield unsafe &unchecked }
    }

    deinit { stored.leaves.deallocate() }

    /// Begins to collect a value of the type `owner`.
    func open(owner: any Any.Type) -> EncodingBox {
        stored.isOpen = true
        stored.failure = nil
        stored.owner = owner
        return makeBox(depth: 1)
    }

    /// A container at `depth`; past the deepest nesting it is detached, and the whole value fails.
    func makeBox(depth: Int) -> EncodingBox {
        if depth > LargeStack.maxNesting { fail(NodeEncoder.nestsTooDeeply) }
        guard stored.isRunning else { return EncodingBox() }
        let number = stored.boxCount
        stored.boxCount += 1
        if number < stored.boxes.count {
            let box = stored.boxes[number]
            unsafe box.state.pointee.begin(number: number, depth: depth, owner: ObjectIdentifier(stored.owner))
            return box
        }
        let box = EncodingBox()
        unsafe box.state.pointee.begin(number: number, depth: depth, owner: ObjectIdentifier(stored.owner))
        stored.boxes.append(box)
        return box
    }

    /// Forgets the collected value; containers that user code still holds are not used again.
    func close() {
        stored.isOpen = false
        for number in 0..<stored.boxCount {
            unsafe stored.boxes[number].state.pointee.reset()
            if !isKnownUniquelyReferenced(&stored.boxes[number]) { stored.boxes[number] = EncodingBox() }
        }
        if stored.boxes.count > EncodingSession.mostBoxes { stored.boxes = [] }
        stored.boxCount = 0
        stored.leaves.removeAll(keeping: EncodingSession.mostBytes)
        if !stored.values.isEmpty { stored.values.removeAll(keepingCapacity: stored.values.count <= 64) }
    }

    private static let mostBoxes = 32
    private static let mostBytes = 4_096

    /// Remembers `error` as the value's failure.
    func fail(_ error: CacheError) {
        if stored.failure == nil { stored.failure = error }
    }

    /// Whether more may be encoded.
    ///
    /// - Throws: the value's failure, or `unencodable` if its encoder outlived it.
    @inline(__always)
    func check() throws(CacheError) {
        guard stored.isRunning else { throw refusal }
    }

    private var refusal: CacheError {
        stored.failure ?? CacheError(.unencodable, "An encoder is used only while encode(to:) runs.")
    }

    /// Keeps `value` until its place is known.
    func postpone(_ value: some Encodable, isPresent: Bool = false) -> EncodingItem {
        stored.values.append(value)
        return EncodingItem(isPresent ? .presentValue : .value, stored.values.count - 1, 0)
    }

    /// Writes the leaf that `append` appends.
    @inline(__always)
    func leaf(_ append: (inout ByteBuffer) -> Void) throws(CacheError) -> EncodingItem {
        try check()
        let start = stored.leaves.count
        append(&stored.leaves)
        return EncodingItem(.leaf, start, stored.leaves.count)
    }
}

/// One value inside a container.
struct EncodingItem {
    enum Kind: UInt8 {
        case none
        /// An encoded leaf, with its beginning and its end in the session's leaves.
        case leaf
        /// A value that is encoded once its place is known, with its number in the session.
        case value
        /// The same, for an optional that is not `nil`.
        case presentValue
        /// A nested container, with its number in the session.
        case box
    }

    let kind: Kind
    let first: Int
    let second: Int

    init(_ kind: Kind, _ first: Int, _ second: Int) {
        self.kind = kind
        self.first = first
        self.second = second
    }
}
