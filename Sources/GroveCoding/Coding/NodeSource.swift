public import GroveModel

/// The source of a decoder's child nodes: one read of one tree, inside one view of the store.
@usableFromInline
package protocol NodeSource: AnyObject {
    /// The depth of the read in levels, identified levels and nesting inside records together.
    var nesting: Int { get set }

    /// The number of times that the read went on with a larger stack, or was refused one.
    var hops: Int { get set }

    /// Fetches the record of `identifier` to be decoded as `type`, and makes it the node whose children come next.
    ///
    /// Unless the read remembers the model, ``endVisit(_:)`` or ``failVisit(_:_:)`` follows.
    func beginVisit(
        _ type: any CacheableModel.Type, _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> NodeVisit

    /// Ends the visit of a node that was decoded.
    func endVisit(_ visit: NodeVisit)

    /// Ends the visit of a node that could not be decoded, and returns the failure for the model that holds the node.
    func failVisit(_ visit: NodeVisit, _ failure: NodeReadFailure) -> NodeReadFailure

    /// The model that the read remembers, if the visit is of a remembered one; that visit has ended already.
    func recall(_ visit: NodeVisit) -> (any SimpleModel)?

    /// Keeps `model`, the outcome of `visit`, for the next visit of its node.
    func remember(_ model: any SimpleModel, _ visit: NodeVisit)

    /// The record name under which `identifier` is stored.
    func recordName(_ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) -> String

    /// Whether the reading projection wrote the value at `position`, which is inside a field of a record that several
    /// projections wrote.
    func readerWrote(valueAt position: UnsafeRawPointer) -> Bool

    /// A copy of `bytes` that stays until the record that is being decoded is finished.
    func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer

    /// The pool of sessions and decoders for `Codable` models.
    var decodingScratch: DecodingScratch { get }

    /// Called when the read goes on in another thread.
    func threadDidChange()
}

/// The visit of one node of a read, while the node is decoded.
@safe
@usableFromInline
package struct NodeVisit {
    /// The decoder of the node's body.
    @usableFromInline var decoder: NodeDecoder
    /// Whether the read has decoded the node before and remembers it.
    @usableFromInline let isRemembered: Bool
    /// Whether the read has visited the node before, so that it is worth remembering.
    @usableFromInline let wasSeen: Bool
    /// Whether the thread's stack is used up for this read.
    @usableFromInline let needsLargerStack: Bool
    @usableFromInline package let identifier: UnsafeRawBufferPointer
    @usableFromInline package let type: ObjectIdentifier
    /// The mark to which the source goes back after a node without references; -1 for any other node.
    @usableFromInline package let leafMark: Int

    @inlinable
    package init(
        decoder: NodeDecoder, identifier: UnsafeRawBufferPointer, type: ObjectIdentifier,
        isRemembered: Bool = false, wasSeen: Bool = false, needsLargerStack: Bool = false, leafMark: Int = -1
    ) {
        self.leafMark = leafMark
        self.decoder = decoder
        unsafe self.identifier = identifier
        self.type = type
        self.isRemembered = isRemembered
        self.wasSeen = wasSeen
        self.needsLargerStack = needsLargerStack
    }
}

extension NodeSource {
    /// Whether the read must begin again on a large stack, whatever its outcome is; see ``LargeStack/maxHops``.
    package var mustRestart: Bool { hops > LargeStack.maxHops }

    /// Runs `body` one level deeper, on a larger stack if the level requires it.
    package func nested<Value>(
        _ body: () throws(NodeReadFailure) -> Value
    ) throws(NodeReadFailure) -> Value {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= LargeStack.maxNesting else { throw NodeReadFailure.tooDeep }
        guard nesting == LargeStack.hopDepth else { return try body() }
        return try onLargerStack(body)
    }

    /// Runs `body` on a thread of its own with a large stack.
    package func onLargerStack<Value>(
        _ body: () throws(NodeReadFailure) -> Value
    ) throws(NodeReadFailure) -> Value {
        hops += 1
        guard !mustRestart else { throw .failed(LargeStack.tooManyHops) }
        return try LargeStack.run(unavailable: NodeReadFailure.failed(LargeStack.noThread)) {
            () throws(NodeReadFailure) in
            threadDidChange()
            return try body()
        }
    }
}

extension NodeReadFailure {
    static var tooDeep: NodeReadFailure {
        .failed(CacheError(.tooDeep, "The record nests more than \(LargeStack.maxNesting) levels."))
    }
}

/// The source of decoders that only look at encoded values and fetch no nodes.
package final class NoSource: NodeSource, Sendable {
    package static let shared = NoSource()

    package var nesting: Int {
        get { 0 }
        set {}
    }

    package var hops: Int {
        get { 0 }
        set {}
    }

    package func beginVisit(
        _ type: any CacheableModel.Type, _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> NodeVisit {
        throw .corrupted
    }

    package func endVisit(_ visit: NodeVisit) {}

    package func failVisit(_ visit: NodeVisit, _ failure: NodeReadFailure) -> NodeReadFailure { failure }

    package func recall(_ visit: NodeVisit) -> (any SimpleModel)? { nil }

    package func remember(_ model: any SimpleModel, _ visit: NodeVisit) {}

    package func recordName(_ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) -> String {
        throw .corrupted
    }

    package func readerWrote(valueAt position: UnsafeRawPointer) -> Bool { true }

    package func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer { unsafe bytes }

    package var decodingScratch: DecodingScratch { DecodingScratch() }

    package func threadDidChange() {}
}
