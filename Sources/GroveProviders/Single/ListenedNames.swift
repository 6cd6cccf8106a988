import GroveModel

/// The identifiers of the model that a provider shows or waits for.
struct ListenedNames {
    /// The identifier that is listened to, even if no such model exists yet.
    var awaited: ModelIdentifier?
    /// The cache key that was asked for, whose model neither memory nor the cache has yet.
    var interest: ModelIdentifier?
    /// The identifier under which ``Screens/showing`` has the provider.
    var shown: ModelIdentifier?

    /// Forgets the key that was asked for, unless it is `key`; returns whether there was one.
    mutating func endInterest(but key: ModelIdentifier?) -> Bool {
        guard let interest, interest != key else { return false }
        self.interest = nil
        if awaited == interest { awaited = nil }
        return true
    }
}
