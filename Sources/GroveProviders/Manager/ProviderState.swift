public import GroveModel

/// How far a provider's last request has come: for a view to switch on, beside the data.
///
/// The data stay through all of these until newer data come. So a view shows the data where there are some, and otherwise what
/// the state says: a spinner, a message, an offer to try again.
public enum ProviderState: Sendable {
    /// Nothing was asked for, or everything was wiped.
    case idle
    /// The cache or the network has yet to answer. Data that are there are those of before, or what the cache had.
    case loading
    /// The data are what the cache had, or another provider; they may be old.
    case cached
    /// The network brought the data, and nothing in them was changed since they were asked for; the owner set them; or the cache has
    /// them all within the age that was asked for.
    case fresh
    /// What was asked for is not there, or not whole; the miss names the node that is missing, and why.
    ///
    /// With data: others changed them, the cache has forgotten a part of the newest, and what is shown is what was before. Load
    /// again.
    case missing(CacheMiss)
    /// The request failed, and why.
    case failed(any Error)
    /// The data are newer than what the cache has, which has refused them, and why: it is suspended, or has no room. They are saved again
    /// when it takes calls or has room again; until then they do not survive a relaunch.
    case unsaved(CacheError)
}

extension ProviderState {
    /// Whether a view that shows one state would show the other.
    func isSame(as other: ProviderState) -> Bool {
        switch (self, other) {
        case (.idle, .idle), (.loading, .loading), (.cached, .cached), (.fresh, .fresh): true
        case (.missing(let miss), .missing(let other)): miss == other
        case (.unsaved(let error), .unsaved(let other)): error.code == other.code
        default: false
        }
    }
}

/// A provider's state, and what it was before the request that is under way.
struct RequestState {
    private(set) var settled = ProviderState.idle
    private(set) var isLoading = false
    /// Why the cache has refused what is shown, if it has.
    var unsaved: CacheError?

    var shown: ProviderState { isLoading ? .loading : unsaved.map { .unsaved($0) } ?? settled }

    /// A request begins.
    mutating func begin() { isLoading = true }

    /// The request is over.
    mutating func end(_ state: ProviderState? = nil) {
        if let state { settled = state }
        isLoading = false
    }

    /// The request failed; one that was cancelled leaves what was before it.
    mutating func fail(_ error: any Error) {
        end(.failure(error))
    }

    /// The cache has answered a request that goes on.
    mutating func note(_ state: ProviderState) { settled = state }

    /// Data came by others.
    mutating func noteData() {
        switch settled {
        case .idle, .missing: settled = .cached
        default: break
        }
    }
}

extension ProviderState {
    /// What a request is that failed so; `nil` where it was cancelled, which leaves what was before it.
    static func failure(_ error: any Error) -> ProviderState? {
        let isCancelled = error is CancellationError || (error as? CacheError)?.code == .cancelled
        return isCancelled ? nil : .failed(error)
    }
}
