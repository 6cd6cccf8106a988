public import GroveCoding
public import GroveModel
public import GroveShared

/// A database for the rules, which are all that uses it: how a tier is put to the test.
///
/// It begins empty, holds notes and pairs, each in rows of its own, and is of one rule. The author of a ``FarTier``
/// over another database writes one, and checks ``SharedRule/all`` over it.
public protocol FarWorld: Sendable {
    /// The tier under test, or a mutant of it, behind ``gated``.
    var far: any FarTier { get }
    /// The network in between.
    var gated: GatedTier { get }

    /// Commits as another machine does, past the network.
    @discardableResult
    func commit(_ changes: [FarChange]) async throws -> FeedNumber
    /// Forgets the feed up to now.
    func trim() async throws
    /// Gives the feed another identity and begins its numbers again; the rows stay.
    func renew() async throws
    /// Keeps the database as it is now, for ``failOver()``.
    func keepReplica() async throws
    /// Makes the database what it was at ``keepReplica()``, feed and numbers included.
    func failOver() async throws
    /// Loses the connection of the next write through ``far``.
    func loseNextWrite(_ loss: MemoryFarTier.Loss) async throws
}

/// A model without children.
public struct Note: CodableModel, Equatable {
    /// The row's key.
    public let id: String
    /// What is written and read.
    public let text: String

    /// Makes a note.
    public init(_ id: String, _ text: String) { (self.id, self.text) = (id, text) }

    /// `Note:` and the key.
    public var modelIdentifier: ModelIdentifier? { ModelIdentifier("Note:\(id)") }
}

/// A tree of three nodes.
///
/// Its row names its children, whose content is their own rows'.
public struct Pair: CodableModel, Equatable {
    /// The row's key.
    public let id: String
    /// The first child.
    public let left: Note
    /// The second child.
    public let right: Note

    /// Makes a pair.
    public init(_ id: String, _ left: Note, _ right: Note) { (self.id, self.left, self.right) = (id, left, right) }

    /// `Pair:` and the key.
    public var modelIdentifier: ModelIdentifier? { ModelIdentifier("Pair:\(id)") }
}

/// The world in memory.
package final class MemoryWorld: FarWorld {
    package let far: any FarTier
    package let gated: GatedTier
    private let base: MemoryFarTier
    private let replica: MemoryFarTier

    /// Makes an empty database.
    ///
    /// - Parameter mutation: what the tier does wrong; `nil` for the tier itself.
    package init(_ mutation: TierMutant.Mutation? = nil) {
        let base = MemoryFarTier { row, find in
            guard let pair = row as? Pair, let left = pair.left.modelIdentifier, let right = pair.right.modelIdentifier
            else { return row }
            return Pair(pair.id, find(left) as? Note ?? pair.left, find(right) as? Note ?? pair.right)
        }
        let gated = GatedTier(base)
        (self.base, self.gated, replica) = (base, gated, base.replica())
        far = mutation.map { TierMutant($0, gated, base) } ?? gated
    }

    @discardableResult
    package func commit(_ changes: [FarChange]) async throws -> FeedNumber { try await base.write(changes) }
    package func trim() { base.trim() }
    package func renew() { base.renew() }
    package func keepReplica() { replica.failOver(to: base) }
    package func failOver() { base.failOver(to: replica) }
    package func loseNextWrite(_ loss: MemoryFarTier.Loss) { base.loseNextWrite(loss) }
}
