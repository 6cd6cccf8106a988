/// All rules of the kit, in the order of the catalogue.
public enum Rules {
    /// Every rule.
    public static let all: [Rule] = [
        HarnessRules.all, StoreRules.all, ContractRules.all, WriteRules.all, NormalizationRules.all,
        ReconstructionRules.all, DeletionRules.all, CollectionRules.all, PositionEditRules.all, ElementEditRules.all,
        TransactionRules.all,
        ProjectionRules.all, KeyRules.all, SchemaRules.all, LifeRules.all, PeerRules.all, SuspensionRules.all,
        StoppedPeerRules.all, CopyRules.all, NeighbourRules.all,
        ConcurrencyRules.all, ProgramRules.all, DurabilityRules.all, DamageRules.all,
        EvictionRules.all, PinRules.all, AgeRules.all, AnswerRules.all, LargeTransactionRules.all, SizeRules.all,
        ChangeRules.all, KeptRules.all,
    ].flatMap(\.self)

    /// Rules that trap, hang and fail on purpose, for tests of a runner; they are not part of the kit.
    package static var bad: [Rule] { BadRules.all }

    /// The rules whose identifiers match one of `globs`; all rules if there are no globs.
    ///
    /// In a glob `*` stands for any characters and `?` for one. Upper and lower case are equal.
    package static func matching(_ globs: [String]) -> [Rule] {
        globs.isEmpty ? all : all.filter { rule in globs.contains { matches(Array($0.utf8), Array(rule.id.utf8)) } }
    }

    private static func matches(_ glob: [UInt8], _ text: [UInt8]) -> Bool {
        guard let first = glob.first else { return text.isEmpty }
        let rest = Array(glob.dropFirst())
        switch first {
        case UInt8(ascii: "*"): return (0...text.count).contains { matches(rest, Array(text.dropFirst($0))) }
        case UInt8(ascii: "?"): return !text.isEmpty && matches(rest, Array(text.dropFirst()))
        default: return text.first.map { lower($0) == lower(first) } == true && matches(rest, Array(text.dropFirst()))
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte + 32 : byte }
}
