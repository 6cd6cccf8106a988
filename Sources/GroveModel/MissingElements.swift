/// How the read of a collection treats a missing element.
public enum MissingElements: Sendable {
    /// The whole read is a miss.
    case miss
    /// The element is left out, and so are the missing parts of the list.
    case skip
}
