public import GroveModel

/// The progress of a provider's last request; a view reads it beside the data.
///
/// The data stay in all of these states until newer data come. So a view shows the data if there are any. Otherwise it
/// shows the state: a spinner, a message, or an offer to try again.
public enum ProviderState: Sendable {
    /// No request was made, or everything was wiped.
    case idle
    /// The cache or the network has not answered yet.
    ///
    /// If there are data, they are older ones, or the cache's.
    case loading
    /// The data come from the cache or from another provider, and may be old.
    case cached
    /// The data are as new as the request asked for.
    ///
    /// That is so if the network brought them, and nothing in them was changed since the request was sent. It is also
    /// so if the owner set them, or if the cache has all of them within the requested age.
    case fresh
    /// The model or list, or a part of it, is missing; the miss has the missing node and the reason.
    ///
    /// If there are data, they are an earlier version: others changed the model or list, and the cache does not have a
    /// part of the newest version. Load again.
    case missing(CacheMiss)
    /// The request failed with this error.
    case failed(any Error)
    /// The cache refused to store the data with this error, as it is suspended or has no room.
    ///
    /// The data are newer than those of the cache. They are saved again when the cache takes calls or has room again.
    /// Until then they do not survive a relaunch.
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

/// A provider's state, and the state before the request that is under way.
struct RequestState {
    private(set) var settled = ProviderState.idle
    private(set) var isLoading = false
    /// The error with which the cache has refused the data that are shown, if it has.
    var unsaved: CacheError?
    /// The state that views were last told.
    var told = ProviderState.idle

    var shown: ProviderState { isLoading ? .loading : unsaved.map { .unsaved($0) } ?? settled }

    /// A request begins.
    mutating func begin() { isLoading = true }

    /// The request is over.
    mutating func end(_ state: ProviderState? = nil) {
        if let state { settled = state }
        isLoading = false
    }

    /// The request failed; a cancelled one leaves the state before it.
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
    /// The state after a request that failed with `error`; `nil` if it was cancelled, which leaves the state before it.
    static func failure(_ error: any Error) -> ProviderState? {
        let isCancelled = error is CancellationError || (error as? CacheError)?.code == .cancelled
        return isCancelled ? nil : .failed(error)
    }
}
