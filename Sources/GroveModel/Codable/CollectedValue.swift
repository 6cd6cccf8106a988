/// What one value's `encode(to:)` wrote: its leaves encoded, and what may hold models set aside until it is known where
/// they stand.
///
/// The order of a tree is the order of its records, not of declarations (NRM-06), so nothing that may be a node is
/// encoded before the fields around it are sorted.
// SAFETY: filled before its initialiser returns and only read afterwards, by one encoder.
final class CollectedValue: @unchecked Sendable {
    private let session: EncodingSession
    private let root: EncodingBox

    /// Levels that a caller's own stack carries: their frames are several times those of generated code.
    private static let hopDepth = 16

    /// The key of an enum's single payload without a label (SE-0295).
    static let payloadKey = "_0"

    /// Runs `value`'s own `encode(to:)`.
    ///
    /// - Throws: ``CacheError`` as it was thrown; `unencodable` for whatever else was.
    init(_ value: some Encodable) throws(CacheError) {
        session = EncodingSession()
        root = session.makeBox(inside: nil)
        do {
            try value.encode(to: CollectingEncoder(session: session, box: root))
        } catch let error as CacheError {
            session.close()
            throw error
        } catch {
            session.close()
            throw CacheError(.unencodable, "\(type(of: value)) could not be encoded: \(error)")
        }
        session.isOpen = false
        if let failure = session.failure { throw failure }
        guard root.shape != .nothing else {
            throw CacheError(.unencodable, "\(type(of: value)) encodes nothing.")
        }
    }

    deinit { session.close() }

    /// Writes the value: a map with its keys in the order of their encodings, an array, or a single value.
    func write(to encoder: inout NodeEncoder) throws(CacheError) {
        try encoder.hopping(from: CollectedValue.hopDepth) { (encoder) throws(CacheError) in
            try session.write(root, to: &encoder)
        }
    }

    /// The case and the payload of an enum that takes its payload's record, or `nil` where `base` is anything else.
    ///
    /// - Throws: `unencodable` for a case whose payload would have to share its record and cannot.
    func nodeCase(of base: some SimpleModel) throws(CacheError) -> (caseName: String, payload: any Encodable)? {
        guard root.shape == .keyed, root.items.count == 1, root.keys.count == 1,
            case .box(let inner) = root.items[0].content,
            inner.shape == .keyed, inner.items.count == 1, case .value(let payload, _) = inner.items[0].content,
            let model = payload as? any SimpleModel, let identifier = model.modelIdentifier,
            identifier == base.modelIdentifier
        else { return nil }
        guard inner.keys[0] == CollectedValue.payloadKey else {
            throw CacheError(
                .unencodable, "A case that takes its payload's identifier has a payload without a label.",
                identifier: identifier)
        }
        return (root.keys[0], payload)
    }
}
