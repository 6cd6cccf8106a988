public import GroveCache
public import GroveModel

/// What the author of any other `CacheDelegate` supplies for it to be checked.
///
/// A bare delegate cannot be flushed, closed, emptied or opened again. Whatever of this it can do, the harness does for
/// it, and says so in ``capabilities``; a rule that needs the rest is skipped, and the skip names what it needs. Rules
/// about stores, and about what only the typed calls of a `NormalizedCache` say, are not asked.
///
/// ```swift
/// struct MyHarness: DelegateHarness {
///     let profile = BackendProfile(name: "mine", …)
///     let capabilities: Set<Capability> = [.flush, .normalizes]
///     func makeDelegate() throws -> MyCache { MyCache() }
///     func flush(_ delegate: MyCache) throws { delegate.waitForWrites() }
/// }
/// ```
public protocol DelegateHarness: Sendable {
    /// The delegate.
    associatedtype Delegate: CacheDelegate

    /// Makes a harness; those of a third party's executable are made by the kit.
    init()

    /// What the delegate declares of itself.
    var profile: BackendProfile { get }

    /// Which of the abilities below it has: ``Capability/flush``, `wipe`, `close`, `reopen` and `evict`; and ``Capability/normalizes``
    /// if it keeps each identified model once. One that stores trees whole leaves that out, and is not asked what needs it.
    var capabilities: Set<Capability> { get }

    /// A new delegate over nothing.
    func makeDelegate() throws -> Delegate

    /// Returns when everything set before is stored, or throws why it is not.
    func flush(_ delegate: Delegate) throws

    /// Empties the delegate.
    func wipe(_ delegate: Delegate) throws

    /// Closes the delegate; what is called later must end in an error.
    func close(_ delegate: Delegate) throws

    /// Opens what `delegate`, now closed, had stored; an empty delegate where it is not persistent.
    func reopen(_ delegate: Delegate) throws -> Delegate

    /// Forgets the model of `identifier`, or that it was deleted.
    func evict(_ identifier: ModelIdentifier, from delegate: Delegate) throws
}

extension DelegateHarness {
    /// Nothing: the delegate has no such ability, or none that it needs.
    public func flush(_ delegate: Delegate) throws {}

    /// Throws: the delegate has no such ability.
    public func wipe(_ delegate: Delegate) throws { throw CacheError(.unsupported, "The harness wipes nothing.") }

    /// Nothing: the delegate has no such ability.
    public func close(_ delegate: Delegate) throws {}

    /// Throws: the delegate has no such ability.
    public func reopen(_ delegate: Delegate) throws -> Delegate {
        throw CacheError(.unsupported, "The harness opens nothing again.")
    }

    /// Throws: the delegate has no such ability.
    public func evict(_ identifier: ModelIdentifier, from delegate: Delegate) throws {
        throw CacheError(.unsupported, "The harness evicts nothing.")
    }
}
