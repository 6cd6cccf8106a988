/// A delivery of an engine: the changes that are told together.
///
/// The engine gives it as the delivery begins. It orders the deliveries of that engine; nodes and subscriptions say by
/// it whether the delivery under way has reached them.
struct Round: Hashable, Sendable {
    private let rawValue: UInt64

    /// The value before the first delivery.
    static let none = Round(rawValue: 0)

    private init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The delivery after this one.
    var next: Round { Round(rawValue: rawValue + 1) }
}

/// A change of an engine's trees.
///
/// The engine gives it as the change begins; several make one ``Round``. Nodes say by it whether the change under way
/// has reached them.
struct ChangeMark: Hashable, Sendable {
    private let rawValue: UInt64

    /// The value before the first change.
    static let none = ChangeMark(rawValue: 0)

    private init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The change after this one.
    var next: ChangeMark { ChangeMark(rawValue: rawValue + 1) }
}
