/// The last request of a provider's owner: other data, an identifier, a fetch or a load.
///
/// An answer to a request with another number came too late.
struct OwnerWish {
    private(set) var number = 0
    /// Whether it is a load that is under way.
    var isLoading = false

    mutating func next(isLoading: Bool = false) {
        number += 1
        self.isLoading = isLoading
    }
}
