import GroveModel

/// The elements of confirmed lists that stand for pending ones: another process has confirmed those.
///
/// A confirmed list that has such an element shows it, and not the pending one.
struct StandIns {
    /// The confirmed lists as they were shown last, if something is pending in them.
    private var lists: [String: [ModelIdentifier?]] = [:]
    /// The elements, by those for which they stand.
    private(set) var elements: [ModelIdentifier: ModelIdentifier] = [:]
    private let store: OutboxStore

    init(_ store: OutboxStore) { self.store = store }

    mutating func clear() { (lists, elements) = ([:], [:]) }

    /// Notes a confirmed list that is shown; returns whether it is another one than it was.
    mutating func note(_ key: String, _ identifiers: [ModelIdentifier?]) -> Bool {
        guard lists[key] != identifiers else { return false }
        lists[key] = identifiers
        return true
    }

    /// Lets an element stand for a pending one; returns whether none did before.
    mutating func take(_ name: (old: ModelIdentifier, new: ModelIdentifier)) -> Bool {
        elements.updateValue(name.new, forKey: name.old) == nil
    }

    /// The identifiers that other processes were given lately for those that applications made up.
    func names() -> [(old: ModelIdentifier, new: ModelIdentifier)] {
        ConfirmedNames(try? store.kept(ConfirmedNames.name)).replacements
    }
}
