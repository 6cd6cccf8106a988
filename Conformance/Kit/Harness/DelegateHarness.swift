public import GroveCache
public import GroveModel

/// The adapter through which the kit checks a `CacheDelegate` of another author, who supplies it.
///
/// The methods of `CacheDelegate` cannot flush, close, wipe or reopen a delegate. If the delegate can do so in its own
/// way, the harness calls that and lists the ability in ``capabilities``. A rule that needs an ability which is not
/// listed is skipped, and the skip names it. Rules about stores and about the typed calls of a `NormalizedCache` are
/// not checked.
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

    /// Makes a harness; the kit calls this in the executable that checks the delegate.
    init()

    /// The properties that the delegate declares.
    var profile: BackendProfile { get }

    /// The abilities of the delegate: ``Capability/flush``, `wipe`, `close`, `reopen`, `evict` and `normalizes`.
    ///
    /// A delegate that stores trees whole, not each identified model once, leaves out ``Capability/normalizes``. The
    /// rules that need it are then skipped.
    var capabilities: Set<Capability> { get }

    /// A new, empty delegate.
    func makeDelegate() throws -> Delegate

    /// Returns when everything that was set before is stored.
    ///
    /// - Throws: the reason if something was not stored.
    func flush(_ delegate: Delegate) throws

    /// Removes all content of the delegate.
    func wipe(_ delegate: Delegate) throws

    /// Closes the delegate; calls after that must end in an error.
    func close(_ delegate: Delegate) throws

    /// A new delegate with the content of `delegate`, which is closed; an empty one if the delegate is not persistent.
    func reopen(_ delegate: Delegate) throws -> Delegate

    /// Evicts the model of `identifier`, or the mark of its deletion.
    func evict(_ identifier: ModelIdentifier, from delegate: Delegate) throws
}

extension DelegateHarness {
    /// By default, does nothing: the delegate cannot flush, or need not.
    public func flush(_ delegate: Delegate) throws {}

    /// By default, throws: the delegate has no such ability.
    public func wipe(_ delegate: Delegate) throws { throw CacheError(.unsupported, "The harness wipes nothing.") }

    /// By default, does nothing: the delegate has no such ability.
    public func close(_ delegate: Delegate) throws {}

    /// By default, throws: the delegate has no such ability.
    public func reopen(_ delegate: Delegate) throws -> Delegate {
        throw CacheError(.unsupported, "The harness opens nothing again.")
    }

    /// By default, throws: the delegate has no such ability.
    public func evict(_ identifier: ModelIdentifier, from delegate: Delegate) throws {
        throw CacheError(.unsupported, "The harness evicts nothing.")
    }
}
