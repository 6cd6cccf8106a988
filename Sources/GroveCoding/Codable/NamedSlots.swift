import GroveModel

/// The known names of the keys of one type, and a `Slot` for each; see ``KeyNames``.
///
/// The memory of the slots stays from one value to the next.
@safe
struct NamedSlots<Slot: BitwiseCopyable>: ~Copyable {
    /// The type of the keys, once the slots are filled for it.
    var keys: ObjectIdentifier?
    private var names: Unmanaged<KeyNames>?
    private(set) var table = FieldTable()
    /// The slots, one for each name of ``table``, by position.
    private var slots: UnsafeMutablePointer<Slot>?
    private var capacity = 0
    /// The position that was found last; the next name is looked for after it.
    private var last = -1

    deinit { unsafe slots?.deallocate() }

    /// Takes the known names of `keys` in values of `owner`; returns their slots, which the caller fills.
    @inline(__always)
    mutating func take(
        _ keys: ObjectIdentifier, in owner: ObjectIdentifier
    ) -> UnsafeMutablePointer<Slot> {
        let names = unsafe KeyNames.of(keys, in: owner)
        let table = unsafe names._withUnsafeGuaranteedRef { $0.table }
        unsafe self.names = unsafe names
        self.table = table
        last = -1
        if let slots = unsafe slots, capacity >= table.count { return unsafe slots }
        unsafe slots?.deallocate()
        capacity = max(table.count, 8)
        let room = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
        unsafe slots = unsafe room
        return unsafe room
    }

    /// The slot of `name`, or `nil` if the name is not known.
    @inline(__always)
    mutating func find(_ name: String) -> UnsafeMutablePointer<Slot>? {
        let position = position(of: name)
        guard position >= 0, let slots = unsafe slots else { return nil }
        last = position
        return unsafe slots + position
    }

    /// The position of `name`, or -1; the call does not change ``last``.
    @inline(__always)
    func position(of name: String) -> Int { table.position(of: name, after: last) }

    /// The slot at `position`, or `nil` if there are fewer names.
    @inline(__always)
    func slot(at position: Int) -> UnsafeMutablePointer<Slot>? {
        guard position < table.count, let slots = unsafe slots else { return nil }
        return unsafe slots + position
    }

    /// Whether names are still added to the known ones.
    var learns: Bool { unsafe names?._withUnsafeGuaranteedRef { $0.learns } ?? false }

    /// Adds `names` to the known ones, for the next value.
    func learn(_ names: [String]) { unsafe self.names?._withUnsafeGuaranteedRef { $0.learn(names) } }

    /// Forgets the names; the memory is kept.
    mutating func reset() {
        keys = nil
        table = FieldTable()
    }
}
