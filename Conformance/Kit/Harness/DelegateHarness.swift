public import GroveCache
public import GroveModel

/// What the author of any other ``CacheDelegate`` supplies for it to be checked.
///
/// A bare delegate cannot be flushed, closed, emptied or made to fail. Whatever of this it can do, the harness does for
/// it; a rule that needs the rest is skipped, and the skip names what it needs. The rules for delegates come with the
/// complete kit; this is their harness's shape.
public protocol DelegateHarness: Sendable {
    /// The delegate.
    associatedtype Delegate: CacheDelegate

    /// What it declares of itself.
    var profile: BackendProfile { get }

    /// Which of the abilities below it has.
    var capabilities: Set<Capability> { get }

    /// A new delegate over nothing.
    func makeDelegate() throws -> Delegate

    /// Returns when everything set before is stored.
    func flush(_ delegate: Delegate) throws

    /// Empties the delegate.
    func wipe(_ delegate: Delegate) throws

    /// Closes the delegate; what is called later must end in an error.
    func close(_ delegate: Delegate) throws

    /// Opens what `delegate`, now closed, had stored.
    func reopen(_ delegate: Delegate) throws -> Delegate
}
