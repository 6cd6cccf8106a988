/// What the decoders of one model share while its `init(from:)` runs.
///
/// User code may swallow an error, with `try?` or by trying another type. What would make a tree lie, a child that is
/// missing or bytes that are damaged, is remembered here and fails the model all the same, unless a later attempt at
/// the same bytes succeeded.
@safe
final class DecodingSession {
    /// Whether the model is being decoded; a decoder that outlives it is refused, for its bytes are gone.
    private(set) var isOpen = true

    private var failures: [(position: UnsafeRawPointer, failure: NodeReadFailure)] = unsafe []

    /// Runs `type`'s own `init(from:)` over the value of `decoder`, whose bytes stay.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from decoder: NodeDecoder
    ) throws(NodeReadFailure) -> Value {
        let session = DecodingSession()
        defer { session.isOpen = false }
        let value = try session.run(type, RecordDecoder(decoder, session: session, path: []))
        if let failure = unsafe session.failures.first { throw unsafe failure.failure }
        return value
    }

    /// Reads the value at the cursor of `decoder`, whose bytes stay, as a field of `type` is read.
    static func decodeValue<Value: Decodable>(
        _ type: Value.Type, from decoder: NodeDecoder
    ) throws(NodeReadFailure) -> Value {
        let session = DecodingSession()
        defer { session.isOpen = false }
        let value = try RecordDecoder(decoder, session: session, path: []).decode(type, decoder, key: nil)
        if let failure = unsafe session.failures.first { throw unsafe failure.failure }
        return value
    }

    /// Levels of user code that a caller's own stack carries: its frames, and those of the containers that it calls,
    /// take ten times what generated code takes.
    private static let hopDepth = 8

    /// Runs `type`'s own `init(from:)`, on a larger stack where the level asks for it; what it throws that is not a
    /// read's failure is one of shape.
    func run<Value: Decodable>(_ type: Value.Type, _ decoder: RecordDecoder) throws(NodeReadFailure) -> Value {
        let source = unsafe try decoder.open().source
        let nesting = source.nesting
        guard nesting >= DecodingSession.hopDepth, nesting < LargeStack.hopDepth else {
            return try runHere(type, decoder)
        }
        // Levels are skipped up to the one at which the source goes on upon a larger stack.
        source.nesting = LargeStack.hopDepth - 1
        defer { source.nesting = nesting }
        return try source.nested { () throws(NodeReadFailure) in try runHere(type, decoder) }
    }

    private func runHere<Value: Decodable>(
        _ type: Value.Type, _ decoder: RecordDecoder
    ) throws(NodeReadFailure) -> Value {
        do {
            return try Value(from: decoder)
        } catch let failure as NodeReadFailure {
            throw failure
        } catch let error as CacheError {
            throw .failed(error)
        } catch {
            throw .otherShape
        }
    }

    /// Fails where the model is finished already.
    func check() throws(NodeReadFailure) {
        guard isOpen else {
            throw .failed(CacheError(.other, "A decoder is used only while init(from:) runs."))
        }
    }

    /// Makes one attempt at the value of `decoder`.
    func attempt<Value>(
        at decoder: NodeDecoder, _ body: () throws(NodeReadFailure) -> Value
    ) throws(NodeReadFailure) -> Value {
        try check()
        let earlier = unsafe failures.count
        do throws(NodeReadFailure) {
            let value = try body()
            if earlier > 0 { unsafe forgive(decoder.cursor, decoder.end, upTo: earlier) }
            return value
        } catch {
            unsafe note(error, at: decoder.cursor)
            throw error
        }
    }

    /// Remembers `failure`, should it be one that nobody may swallow.
    func note(_ failure: NodeReadFailure, at position: UnsafeRawPointer) {
        switch failure {
        case .miss, .failed, .corrupted: unsafe failures.append((position, failure))
        case .deleted, .otherShape, .incomplete: break
        }
    }

    /// Remembers that user code was told of a field's absence, which the record cannot vouch for.
    func noteUnknownAbsence(at position: UnsafeRawPointer) { unsafe failures.append((position, .incomplete)) }

    private func forgive(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer, upTo count: Int) {
        for index in (0..<count).reversed()
        where unsafe failures[index].position >= start && failures[index].position < end {
            unsafe failures.remove(at: index)
        }
    }
}
