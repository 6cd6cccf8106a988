/// How the read of a collection treats a missing element.
public enum MissingElements: Sendable {
    /// The whole read is a miss.
    case miss
    /// The element is left out, and so is a part of the list that is missing.
    case skip
}
