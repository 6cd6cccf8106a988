import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The call that the engine carries out.
struct CallUnderWay {
    /// The source of the changes that a call makes.
    enum Source {
        /// An edit: its changes are as of the call.
        case edit
        /// A read of the cache, which began at an earlier turn: the changes are as of that.
        case read(asOf: Turn)
        /// An answer of the network, to a request that was sent at a turn.
        case answer(asked: Turn)
    }

    /// The call's place in the order of calls.
    var sequence = Turn.zero
    /// The time at which the call was made.
    var time = Date.distantPast
    var source = Source.edit

    /// The turn that the changes are as of, beside a read of the cache.
    var asOf: Turn { if case .read(let turn) = source { turn } else { sequence } }

    /// Whether the changes were read, and not made by the call.
    var isRead: Bool { if case .read = source { true } else { false } }
}
