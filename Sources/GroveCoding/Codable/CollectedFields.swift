import GroveModel

/// The fields of a value that is being collected.
struct CollectedFields: ~Copyable {
    /// The fields whose names are known.
    private var slots = NamedSlots<EncodingItem>()
    /// The number of fields whose names are known.
    private(set) var knownCount = 0
    /// The fields whose names are not known; of several fields with one name, the last counts.
    private(set) var extras: [(name: String, item: EncodingItem)] = []
    /// The nested containers among ``extras``, by name.
    private var extraBoxes: [ModelIdentifier: Int] = [:]
    /// Whether a container and another value were put under one name.
    private(set) var contradictsItself = false

    /// The names that are known.
    var table: NameTable { slots.table }

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
            if slots.learns { slots.learn(extras.map(\.name)) }
            extras = []
            if !extraBoxes.isEmpty { extraBoxes = [:] }
        }
        contradictsItself = false
        knownCount = 0
        slots.reset()
    }

    /// Sets the field called `name`.
    mutating func set(_ name: String, _ item: EncodingItem) {
        guard let slot = unsafe slots.find(name) else {
            extras.append((name, item))
            return
        }
        if unsafe slot.pointee.kind == .none {
            knownCount += 1
        } else if unsafe slot.pointee.kind == .box || item.kind == .box {
            contradictsItself = true
        }
        unsafe slot.pointee = item
    }

    /// Sets the field called `name` to the nested container with the number `box`.
    mutating func set(_ name: String, box: Int) {
        let count = extras.count
        set(name, EncodingItem(.box, box, 0))
        if extras.count > count { extraBoxes[ModelIdentifier(name)] = box }
    }

    /// The number of the nested container that is called `name`, or `nil` if there is none.
    func box(called name: String) -> Int? {
        let position = slots.position(of: name)
        guard position >= 0 else { return extraBoxes.isEmpty ? nil : extraBoxes[ModelIdentifier(name)] }
        let item = field(position)
        return item.kind == .box ? item.first : nil
    }

    /// The field at `position` of the table.
    @inline(__always)
    func field(_ position: Int) -> EncodingItem {
        guard let slot = unsafe slots.slot(at: position) else { return EncodingItem(.none, 0, 0) }
        return unsafe slot.pointee
    }

    /// The fields in the order of their encoded names, the last of each name.
    ///
    /// - Throws: `unencodable` if a container and another value have one name.
    func sorted() throws(CacheError) -> [(name: String, item: EncodingItem)] {
        var all: [(name: String, item: EncodingItem)] = []
        for position in 0..<table.count where field(position).kind != .none {
            all.append((table.name(position), field(position)))
        }
        all += extras
        let order = all.indices.sorted { left, right in
            let comparison = CollectedFields.compare(all[left].name, all[right].name)
            return comparison == 0 ? left < right : comparison < 0
        }
        var fields: [(name: String, item: EncodingItem)] = []
        fields.reserveCapacity(order.count)
        for index in order {
            if let last = fields.last, CollectedFields.compare(last.name, all[index].name) == 0 {
                guard last.item.kind != .box, all[index].item.kind != .box else {
                    throw CollectedFields.contradiction
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
    var only: (name: String, item: EncodingItem)? {
        guard knownCount + extras.count == 1, !contradictsItself else { return nil }
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
