package import GroveModel

/// The odd answers that a backend may give and still conform: a cache may evict, and a disk may fail now and then.
///
/// If a rule gets such an answer, it ends there and passes. Only the kit's odd but legal stores declare a leniency; any
/// other backend declares none.
package struct Leniency: Sendable, Equatable {
    /// Whether any read may be a miss with reason `.absent`.
    package var forgets: Bool
    /// The code of a ``CacheError`` that any call may throw; `nil` if there is none.
    package var failsWith: CacheError.Code?

    /// Makes a leniency.
    package init(forgets: Bool = false, failsWith: CacheError.Code? = nil) {
        self.forgets = forgets
        self.failsWith = failsWith
    }

    /// No odd answers.
    package static let none = Leniency()
}

/// The error that ends a rule after an odd answer that its backend may give.
struct Tolerated: Error {
    let sentence: String
}
