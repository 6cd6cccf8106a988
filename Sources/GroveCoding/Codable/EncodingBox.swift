import GroveModel

/// One container of a value that is being collected.
@safe
final class EncodingBox {
    /// Behind a pointer, because a class's properties are checked for exclusive access at every use.
    let state: UnsafeMutablePointer<EncodingBoxState>

    init() {
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: EncodingBoxState())
    }

    deinit {
        unsafe state.pointee.fields?.deallocate()
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }
}

/// What an ``EncodingBox`` is made of.
@safe
struct EncodingBoxState {
    /// What kind of container user code asked for.
    enum Shape {
        case nothing
        case keyed
        case unkeyed
        case single
    }

    private(set) var shape = Shape.nothing
    private(set) var depth = 0
    /// Its place among the session's containers.
    private(set) var number = 0
    private var owner = ObjectIdentifier(Never.self)

    /// The elements, if it is unkeyed, or the one value.
    var items: [EncodingItem] = []

    private var keys: ObjectIdentifier?
    private var names: Unmanaged<KeyNames>?
    private(set) var table = NameTable()
    /// The fields whose names the table has, by position.
    private(set) var fields: UnsafeMutablePointer<EncodingItem>?
    private var capacity = 0
    private(set) var fieldCount = 0
    /// The position that was set last; the next is looked for behind it.
    private var last = -1
    /// Fields whose names the table has not; a name that occurs again replaces what it had.
    private(set) var extras: [(name: String, item: EncodingItem)] = []
    /// The nested containers among ``extras``, by name.
    private var extraBoxes: [ModelIdentifier: Int] = [:]
    /// Whether a container and something else were put under one name.
    private(set) var contradictsItself = false

    /// Begins a container.
    mutating func begin(number: Int, depth: Int, owner: ObjectIdentifier) {
        self.number = number
        self.depth = depth
        self.owner = owner
    }

    /// Forgets what it holds; what that taught about names is kept.
    mutating func reset() {
        if !extras.isEmpty {
            unsafe names?._withUnsafeGuaranteedRef { if $0.learns { $0.learn(extras.map(\.name)) } }
            extras = []
            if !extraBoxes.isEmpty { extraBoxes = [:] }
        }
        contradictsItself = false
        if !items.isEmpty { items = [] }
        shape = .nothing
        keys = nil
        fieldCount = 0
        table = NameTable()
    }

    /// Makes it a container of `shape`, once; containers of several shapes are a mistake of the user's.
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
        guard self.keys == nil, shape == .keyed else { return }
        self.keys = keys
        let names = unsafe KeyNames.of(keys, in: owner)
        let table = unsafe names._withUnsafeGuaranteedRef { $0.table }
        unsafe self.names = unsafe names
        self.table = table
        last = -1
        if unsafe capacity < table.count || fields == nil {
            unsafe fields?.deallocate()
            capacity = max(table.count, 8)
            unsafe fields = .allocate(capacity: capacity)
        }
        for position in 0..<table.count {
            unsafe (fields.unsafelyUnwrapped + position).initialize(to: EncodingItem(.none, 0, 0))
        }
    }

    /// Sets the field called `name`.
    @inline(__always)
    mutating func set(_ name: String, _ item: EncodingItem) {
        let position = table.position(of: name, after: last)
        guard position >= 0, let fields = unsafe fields else {
            extras.append((name, item))
            return
        }
        last = position
        if unsafe fields[position].kind == .none {
            fieldCount += 1
        } else if unsafe fields[position].kind == .box || item.kind == .box {
            contradictsItself = true
        }
        unsafe fields[position] = item
    }

    /// Sets the field called `name` to the nested container with the number `box`.
    mutating func set(_ name: String, box: Int) {
        let count = extras.count
        set(name, EncodingItem(.box, box, 0))
        if extras.count > count { extraBoxes[ModelIdentifier(name)] = box }
    }

    /// The number of the nested container that is called `name`, or `nil` if there is none.
    func box(called name: String) -> Int? {
        let position = table.position(of: name, after: last)
        guard position >= 0 else { return extraBoxes.isEmpty ? nil : extraBoxes[ModelIdentifier(name)] }
        let item = field(position)
        return item.kind == .box ? item.first : nil
    }

    /// The field at `position` of the table.
    @inline(__always)
    func field(_ position: Int) -> EncodingItem {
        guard position < table.count, let fields = unsafe fields else { return EncodingItem(.none, 0, 0) }
        return unsafe fields[position]
    }

    /// The fields in the order of their encoded names, the last of each name.
    ///
    /// - Throws: `unencodable` if a container and something else have one name.
    func sortedFields() throws(CacheError) -> [(name: String, item: EncodingItem)] {
        var all = (0..<table.count).compactMap { position in
            let item = field(position)
            return item.kind == .none ? nil : (name: table.name(position), item: item)
        }
        all += extras
        let order = all.indices.sorted { left, right in
            let comparison = EncodingBoxState.compare(all[left].name, all[right].name)
            return comparison == 0 ? left < right : comparison < 0
        }
        var fields: [(name: String, item: EncodingItem)] = []
        fields.reserveCapacity(order.count)
        for index in order {
            if let last = fields.last, EncodingBoxState.compare(last.name, all[index].name) == 0 {
                guard last.item.kind != .box, all[index].item.kind != .box else {
                    throw EncodingBoxState.contradiction
                }
                fields.removeLast()
            }
            fields.append(all[index])
        }
        return fields
    }

    static var contradiction: CacheError {
        CacheError(.unencodable, "encode(to:) put a container and something else under one key.")
    }

    /// The only field, if there is one.
    var onlyField: (name: String, item: EncodingItem)? {
        guard shape == .keyed, fieldCount + extras.count == 1, !contradictsItself else { return nil }
        if let extra = extras.first { return extra }
        for position in 0..<table.count where field(position).kind != .none {
            return (table.name(position), field(position))
        }
        return nil
    }

    /// The order of two names' encodings: the shorter first, then by bytes.
    private static func compare(_ left: String, _ right: String) -> Int {
        let (leftCount, rightCount) = (left.utf8.count, right.utf8.count)
        guard leftCount == rightCount else { return leftCount - rightCount }
        for (first, second) in zip(left.utf8, right.utf8) where first != second { return Int(first) - Int(second) }
        return 0
    }
}
