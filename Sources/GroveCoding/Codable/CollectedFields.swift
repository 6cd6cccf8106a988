import GroveModel

/// The fields of a value that is being collected.
struct CollectedFields: ~Copyable {
    /// The fields whose names are known.
    private var slots = NamedSlots<EncodingItem>()
    /// The number of fields whose names are known.
    private(set) var knownCount = 0
    /// The fields whose names are not known; of several fields with one name, the last counts.
    private(set) var extras: [ModelIdentifier: EncodingItem] = [:]
    /// Whether a container and another value were put under one name.
    private(set) var contradictsItself = false

    /// The names that are known.
    var table: FieldTable { slots.table }

    /// Whether the type of the fields' keys is known.
    var areBegun: Bool { slots.keys != nil }

    /// Begins with fields named by keys of the type `keys`, in a value of `owner`.
    mutating func begin(_ keys: ObjectIdentifier, in owner: ObjectIdentifier) {
        let items = unsafe slots.take(keys, in: owner)
        slots.keys = keys
        for position in 0..<slots.table.count {
            unsafe (items + position).initialize(to: EncodingItem(.none, 0, 0))
        }
    }

    /// Forgets the fields; their names are learned.
    mutating func reset() {
        if !extras.isEmpty {
            if slots.learns { slots.learn(extras.keys.map(\.rawValue)) }
            extras = [:]
        }
        contradictsItself = false
        knownCount = 0
        slots.reset()
    }

    /// Sets the field called `name`.
    mutating func set(_ name: String, _ item: EncodingItem) {
        let former: EncodingItem?
        if let slot = unsafe slots.find(name) {
            former = unsafe slot.pointee.kind == .none ? nil : slot.pointee
            if former == nil { knownCount += 1 }
            unsafe slot.pointee = item
        } else {
            former = extras.updateValue(item, forKey: ModelIdentifier(name))
        }
        if let former, former.kind == .box || item.kind == .box { contradictsItself = true }
    }

    /// The number of the nested container that is called `name`, or `nil` if there is none.
    func box(called name: String) -> Int? {
        let position = slots.position(of: name)
        let item = position >= 0 ? field(position) : extras[ModelIdentifier(name)]
        return item?.kind == .box ? item?.first : nil
    }

    /// The field at `position` of the table.
    @inline(__always)
    func field(_ position: Int) -> EncodingItem {
        guard let slot = unsafe slots.slot(at: position) else { return EncodingItem(.none, 0, 0) }
        return unsafe slot.pointee
    }

    /// The fields in the order of their encoded names.
    func sorted() -> [(name: String, item: EncodingItem)] {
        var fields = extras.map { (name: $0.key.rawValue, item: $0.value) }
        for position in 0..<table.count where field(position).kind != .none {
            fields.append((table.name(position), field(position)))
        }
        return fields.sorted { FieldTable.precedes($0.name, $1.name) }
    }

    static var contradiction: CacheError {
        CacheError(.unencodable, "encode(to:) put a container and something else under one key.")
    }

    /// The only field, if there is one.
    var only: (name: String, item: EncodingItem)? {
        guard knownCount + extras.count == 1, !contradictsItself else { return nil }
        if let extra = extras.first { return (extra.key.rawValue, extra.value) }
        for position in 0..<table.count where field(position).kind != .none {
            return (table.name(position), field(position))
        }
        return nil
    }
}
