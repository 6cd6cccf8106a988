/// What an element that is missing means to the read of a collection.
public enum MissingElements: Sendable {
    /// The whole read is a miss.
    case miss
    /// The element is left out, and so is a part of the list that is not there.
    case skip
}
