/// A rule that does not hold, in a sentence that says what was expected and what came.
public struct CheckFailure: Error, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    /// Makes a failure of that sentence.
    ///
    /// Sentences end in the sentences of errors; of two full stops one stays.
    public init(_ description: String) {
        let ends = description.hasSuffix("..") && !description.hasSuffix("...")
        self.description = ends ? String(description.dropLast()) : description
    }
}
