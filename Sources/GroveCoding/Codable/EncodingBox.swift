import GroveModel

/// One container of a value that is being collected.
@safe
final class EncodingBox {
    /// The state, behind a pointer because a class's properties are checked for exclusive access at every use.
    let state: UnsafeMutablePointer<EncodingBoxState>

    init() {
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: EncodingBoxState())
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }
}

/// The state of an ``EncodingBox``.
struct EncodingBoxState: ~Copyable {
    /// The kind of container that user code asked for.
    enum Shape {
        case nothing
        case keyed
        case unkeyed
        case single
    }

    private(set) var shape = Shape.nothing
    private(set) var depth = 0
    /// The container's place among those of the session.
    private(set) var number = 0
    private var owner = ObjectIdentifier(Never.self)

    /// The elements of an unkeyed container, or the single value.
    var items: [EncodingItem] = []
    /// The fields of a keyed container.
    var fields = CollectedFields()

    /// Begins a container.
    mutating func begin(number: Int, depth: Int, owner: ObjectIdentifier) {
        self.number = number
        self.depth = depth
        self.owner = owner
    }

    /// Forgets the content; its names are learned.
    mutating func reset() {
        fields.reset()
        if !items.isEmpty { items = [] }
        shape = .nothing
    }

    /// Makes it a container of `shape`, once; to ask for several shapes is an error of user code.
    mutating func become(_ shape: Shape, in session: EncodingSession) {
        guard self.shape == .nothing || (self.shape == shape && shape != .single) else {
            session.fail(CacheError(.unencodable, "encode(to:) asked for containers that exclude each other."))
            return
        }
        self.shape = shape
    }

    /// Makes it a container of fields named by keys of the type `keys`.
    mutating func becomeKeyed(by keys: ObjectIdentifier, in session: EncodingSession) {
        become(.keyed, in: session)
        guard !fields.areBegun, shape == .keyed else { return }
        fields.begin(keys, in: owner)
    }

    /// The only field, if there is one.
    var onlyField: (name: String, item: EncodingItem)? { shape == .keyed ? fields.only : nil }
}
