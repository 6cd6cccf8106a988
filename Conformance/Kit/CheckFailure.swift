/// A rule that does not hold, in a sentence that says what was expected and what came.
public struct CheckFailure: Error, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    /// Makes a failure of that sentence.
    public init(_ description: String) { self.description = description }
}
