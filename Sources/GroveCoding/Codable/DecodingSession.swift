import GroveModel

/// The state that the decoders of one model share while its `init(from:)` runs.
///
/// User code may swallow an error, with `try?` or by trying another type. Some failures would make a tree wrong: a
/// missing child, or damaged bytes. These are remembered here and fail the model all the same, unless a later attempt
/// at the same bytes succeeded.
@safe
final class DecodingSession {
    @safe
    private struct Stored {
        var isOpen = false
        var failures: [(position: UnsafeRawPointer, failure: NodeReadFailure)] = unsafe []
        /// The pool that keeps used decoders for the next value, while the model is being decoded.
        var scratch: DecodingScratch?
    }

    // SAFETY: no code of a user runs while this is being changed.
    @exclusivity(unchecked) private var unchecked = Stored()

    private var stored: Stored {
        @inline(__always) _read { yield unsafe unchecked }
        @inline(__always) _modify { yield unsafe &unchecked }
    }

    /// Whether the model is being decoded; a decoder that outlives it is refused, as its bytes are no longer valid.
    var isOpen: Bool { stored.isOpen }

    var failureCount: Int { unsafe stored.failures.count }

    static var isOver: NodeReadFailure {
        .failed(CacheError(.other, "A decoder is used only while init(from:) runs."))
    }

    /// Runs `type`'s own `init(from:)` over the value of `decoder`, whose bytes stay.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from decoder: NodeDecoder
    ) throws(NodeReadFailure) -> Value {
        let scratch = unsafe decoder.source.decodingScratch
        var session = scratch.session()
        defer { scratch.keep(&session) }
        var shown = session.decoder(of: decoder, owner: ObjectIdentifier(type), path: [], depth: 0)
        defer { scratch.keep(&shown) }
        let value = try session.run(type, shown)
        if let failure = unsafe session.stored.failures.first { throw unsafe failure.failure }
        return value
    }

    /// Reads the value at the cursor of `decoder`, whose bytes stay, as a field of `type` is read.
    static func decodeValue<Value: Decodable>(
        _ type: Value.Type, from decoder: NodeDecoder
    ) throws(NodeReadFailure) -> Value {
        let scratch = unsafe decoder.source.decodingScratch
        var session = scratch.session()
        defer { scratch.keep(&session) }
        var outer = session.decoder(of: decoder, owner: ObjectIdentifier(type), path: [], depth: 0)
        defer { scratch.keep(&outer) }
        let value = try outer.decode(type, decoder, key: nil)
        if let failure = unsafe session.stored.failures.first { throw unsafe failure.failure }
        return value
    }

    /// Keeps `decoder`, which is no longer used, for the next value.
    func keep(_ decoder: inout RecordDecoder) { stored.scratch?.keep(&decoder) }

    /// A decoder of the value at `value`, which is of the type `owner` or a part of such a value.
    func decoder(
        of value: NodeDecoder, owner: ObjectIdentifier, path: [any CodingKey], depth: Int
    ) -> RecordDecoder {
        let decoder = stored.scratch?.decoder() ?? RecordDecoder()
        unsafe decoder.state.pointee.value = value
        unsafe decoder.state.pointee.value.isTried = true
        unsafe decoder.state.pointee.hold(self)
        unsafe decoder.state.pointee.owner = owner
        unsafe decoder.state.pointee.depth = depth
        if !path.isEmpty { unsafe decoder.state.pointee.path = path }
        return decoder
    }

    /// Ends the model: a decoder that is still held is refused from now on.
    func close() {
        stored.isOpen = false
        stored.scratch = nil
        if failureCount > 0 { unsafe stored.failures = [] }
    }

    /// Begins a model.
    func open(_ scratch: DecodingScratch) {
        stored.isOpen = true
        stored.scratch = scratch
    }

    /// The number of levels of user code on a caller's own stack: their frames, with those of the containers, take ten
    /// times as much as those of generated code.
    private static let hopDepth = 8

    /// Runs `type`'s own `init(from:)`, on a larger stack if the level requires it; an error of the user's own type
    /// becomes `otherShape`.
    func run<Value: Decodable>(_ type: Value.Type, _ decoder: RecordDecoder) throws(NodeReadFailure) -> Value {
        let source = unsafe decoder.state.pointee.value.source
        let nesting = source.nesting
        guard nesting >= DecodingSession.hopDepth, nesting < LargeStack.hopDepth else {
            return try runHere(type, decoder)
        }
        // Levels are skipped up to the one at which the source goes on with a larger stack.
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

    /// Notes `failure`, unless user code may swallow it.
    func note(_ failure: NodeReadFailure, at position: UnsafeRawPointer) {
        switch failure {
        case .miss, .failed, .corrupted: unsafe stored.failures.append((position, failure))
        case .deleted, .otherShape, .incomplete: break
        }
    }

    /// Remembers that user code was told that a field is absent, although the record does not prove it.
    func noteUnknownAbsence(at position: UnsafeRawPointer) {
        unsafe stored.failures.append((position, .incomplete))
    }

    /// Forgets those of the first `count` failures that are inside the value of `decoder`, which another attempt read.
    ///
    /// - Parameter absences: whether unknown absences are forgotten too: opening a container does not make them known.
    func forgive(_ decoder: NodeDecoder, upTo count: Int, absences: Bool = true) {
        for index in (0..<count).reversed()
        where unsafe stored.failures[index].position >= decoder.cursor
            && stored.failures[index].position < decoder.end
        {
            if !absences, case .incomplete = unsafe stored.failures[index].failure { continue }
            unsafe stored.failures.remove(at: index)
        }
    }
}
