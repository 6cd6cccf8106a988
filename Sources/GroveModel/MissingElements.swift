/// What an element that is missing means to the read of a collection.
public enum MissingElements: Sendable {
    /// The whole read is a miss.
    case miss
    /// The element is left out.
    case skip
}
