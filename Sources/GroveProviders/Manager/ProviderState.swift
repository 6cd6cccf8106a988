public import GroveModel

/// How far a provider's last request has come; a view switches on it, beside the data.
///
/// The data stay through all of these states until newer data come. So a view shows the data if there are some, and
/// otherwise the state: a spinner, a message, an offer to try again.
public enum ProviderState: Sendable {
    /// Nothing was asked for, or everything was wiped.
    case idle
    /// The cache or the network has yet to answer.
    ///
    /// Data that are there are older ones, or those of the cache.
    case loading
    /// The data come from the cache or from another provider; they may be old.
    case cached
    /// The data are as new as was asked for.
    ///
    /// The network brought them, and nothing in them was changed since the request was sent. Or the owner set them, or
    /// the cache has all of them within the age that was asked for.
    case fresh
    /// The model or list is missing, wholly or in part; the miss names the missing node, and why it is missing.
    ///
    /// If there are data, others changed them and the cache has forgotten a part of the newest version: the former
    /// version is shown. Load again.
    case missing(CacheMiss)
    /// The request failed, and why.
    case failed(any Error)
    /// The cache has refused to store the data, and why: it is suspended, or has no room.
    ///
    /// The data are newer than those of the cache. They are saved again when the cache takes calls or has room again;
    /// until then they do not survive a relaunch.
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
    /// What a request is that failed so; `nil` if it was cancelled, which leaves what was before it.
    static func failure(_ error: any Error) -> ProviderState? {
        let isCancelled = error is CancellationError || (error as? CacheError)?.code == .cancelled
        return isCancelled ? nil : .failed(error)
    }
}
