import GroveModel

/// Collecting what one value's `encode(to:)` writes: its leaves encoded, and what may hold models set aside until it is
/// known where they stand.
///
/// The order of a tree is the order of its records, not of declarations (NRM-06). So nothing that may be a node is
/// encoded before the fields around it are sorted.
extension EncodingSession {
    /// Levels that a caller's own stack carries: their frames are several times those of generated code.
    static let hopDepth = 16

    /// The key of an enum's single payload without a label (SE-0295).
    static let payloadKey = "_0"

    /// Runs `value`'s own `encode(to:)`; the first container stands for the value.
    ///
    /// - Throws: ``CacheError`` as it was thrown; `unencodable` for whatever else was.
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

    /// The case and the payload of an enum that takes its payload's record, or `nil` if `base`, which was
    /// collected, is anything else.
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

/// The sessions that encode `Codable` models, kept for the next: one such object belongs to each ``NodeEncoder``.
final class EncodingScratch {
    private var sessions: [EncodingSession] = []

    func session() -> EncodingSession { sessions.popLast() ?? EncodingSession() }

    /// Ends `session`, and keeps it unless user code holds it.
    func keep(_ session: inout EncodingSession) {
        session.close()
        if isKnownUniquelyReferenced(&session) { sessions.append(session) }
    }
}
