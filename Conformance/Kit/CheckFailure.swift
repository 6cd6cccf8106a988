/// The error of a rule that does not hold: a sentence with the expected and the actual value.
package struct CheckFailure: Error, Sendable, CustomStringConvertible {
    /// The sentence.
    package let description: String

    /// Makes a failure from its sentence.
    ///
    /// If the sentence quotes an error at its end, and so ends in two full stops, one of them is removed.
    package init(_ description: String) {
        let ends = description.hasSuffix("..") && !description.hasSuffix("...")
        self.description = ends ? String(description.dropLast()) : description
    }
}
