import GroveModel

/// The collection of the output of one value's `encode(to:)`.
///
/// Leaves are encoded at once. Values that may hold models are kept until their place is known: the order of a tree is
/// that of its records, not of declarations (NRM-06). So no possible node is encoded before the fields around it are
/// sorted.
extension EncodingSession {
    /// The number of levels on a caller's own stack: their frames are several times as large as those of generated
    /// code.
    static let hopDepth = 16

    /// The key of an enum's single payload without a label (SE-0295).
    static let payloadKey = "_0"

    /// Runs `value`'s own `encode(to:)`; the first container represents the value.
    ///
    /// - Throws: ``CacheError`` as it was thrown; `unencodable` for any other error.
    func collect<Value: Encodable>(_ value: Value) throws(CacheError) {
        do {
            try value.encode(to: CollectingEncoder(session: self, box: open(owner: Value.self)))
        } catch let error as CacheError {
            throw error.concerning(field: stored.ownerName)
        } catch {
            throw CacheError(
                .unencodable, "Its `encode(to:)` threw: \(error)", field: stored.ownerName)
        }
        stored.isOpen = false
        if let failure = stored.failure { throw failure.concerning(field: stored.ownerName) }
        guard unsafe stored.boxes[0].state.pointee.shape != .nothing else {
            throw CacheError(
                .unencodable, "Its `encode(to:)` writes nothing; encode a field, or an empty container.",
                field: stored.ownerName)
        }
    }

    /// The case and the payload of `base`, which was collected, if it is an enum that uses its payload's record;
    /// otherwise `nil`.
    ///
    /// - Throws: `unencodable` for a case whose payload would have to share its record and cannot.
    func nodeCase(
        of base: some SimpleModel
    ) throws(CacheError) -> (caseName: String, payload: any Encodable)? {
        guard let outer = unsafe stored.boxes[0].state.pointee.onlyField, outer.item.kind == .box,
            let inner = unsafe stored.boxes[outer.item.first].state.pointee.onlyField, inner.item.kind == .value
        else { return nil }
        let payload = stored.values[inner.item.first]
        guard let model = payload as? any SimpleModel, let identifier = model.modelIdentifier,
            identifier == base.modelIdentifier
        else { return nil }
        guard inner.name == EncodingSession.payloadKey else {
            throw CacheError(
                .unencodable, "A case that takes its payload's identifier has a payload without a label.",
                identifier: identifier)
        }
        return (outer.name, payload)
    }
}

/// The sessions that encode `Codable` models, kept for the next value; each ``NodeEncoder`` has one such pool.
final class EncodingScratch {
    private var sessions: [EncodingSession] = []

    func session() -> EncodingSession { sessions.popLast() ?? EncodingSession() }

    /// Ends `session`, and keeps it unless user code holds it.
    func keep(_ session: inout EncodingSession) {
        session.close()
        if isKnownUniquelyReferenced(&session) { sessions.append(session) }
    }
}
