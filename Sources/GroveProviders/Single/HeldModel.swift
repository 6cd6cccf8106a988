import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The model that a provider shows, with its age and its origin.
struct HeldModel<T: SimpleModel> {
    /// The model with the layers over it.
    var data: T?
    /// The model without the layers over it, if the manager has any.
    var base: T?
    /// The time at which the data last changed or were set.
    var time: Date?
    /// The time and the key of the last answer of the network that brought the data as they are.
    ///
    /// An edit does not confirm them.
    var confirmed: (time: Date, cacheKey: String?)?
    /// Whether the data are another provider's, and the engine has yet to say that they are the newest.
    var isBorrowed = false

    /// The data are neither the network's answer nor another provider's any more.
    mutating func forgetOrigin() { (confirmed, isBorrowed) = (nil, false) }
}
