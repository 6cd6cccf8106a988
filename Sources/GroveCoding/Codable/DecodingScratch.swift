/// A pool of the sessions and decoders that decode `Codable` models; each ``NodeSource`` has one.
///
/// Only an object without another reference is used again. So a decoder that user code kept refuses every later call.
@usableFromInline
package final class DecodingScratch {
    private struct Spare {
        var sessions: [DecodingSession] = []
        var decoders: [RecordDecoder] = []
    }

    // SAFETY: no code of a user runs while this is being changed.
    @exclusivity(unchecked) private var unchecked = Spare()

    private var spare: Spare {
        @inline(__always) _read { yield unsafe unchecked }
        @inline(__always) _modify { yield unsafe &unchecked }
    }

    /// The most objects of each kind; further ones, of deeper trees, are freed.
    private static let most = 16

    package init() {}

    func session() -> DecodingSession {
        let session = spare.sessions.popLast() ?? DecodingSession()
        session.open(self)
        return session
    }

    func decoder() -> RecordDecoder { spare.decoders.popLast() ?? RecordDecoder() }

    /// Ends `session`, and keeps it.
    func keep(_ session: inout DecodingSession) {
        session.close()
        if spare.sessions.count < DecodingScratch.most, isKnownUniquelyReferenced(&session) {
            spare.sessions.append(session)
        }
    }

    /// Keeps `decoder`, which is no longer used.
    func keep(_ decoder: inout RecordDecoder) {
        guard spare.decoders.count < DecodingScratch.most, isKnownUniquelyReferenced(&decoder) else { return }
        unsafe decoder.state.pointee.reset()
        spare.decoders.append(decoder)
    }
}
