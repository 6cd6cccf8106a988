public import GroveModel

/// What a backend may answer though nothing is wrong: a cache may forget, and a disk may fail now and then.
///
/// A rule that meets such an answer ends there, and holds as far as it came. Stores that are odd and legal declare it;
/// a backend that means to conform declares none.
public struct Leniency: Sendable, Equatable {
    /// Whether a miss `.absent` may come in the place of any value.
    public var forgets: Bool
    /// The code of the typed error that may come in the place of any answer.
    public var failsWith: CacheError.Code?

    /// Makes a leniency.
    public init(forgets: Bool = false, failsWith: CacheError.Code? = nil) {
        self.forgets = forgets
        self.failsWith = failsWith
    }

    /// None.
    public static let none = Leniency()
}

/// Ends a rule that met what its backend may answer.
struct Tolerated: Error {
    let sentence: String
}
