/// Where a decoder gets the children from: one read of one tree, inside one view of the store.
package protocol NodeSource: AnyObject {
    /// How many levels deep the read is, identified levels and nesting inside records together.
    var nesting: Int { get set }

    /// The newest version of the node of `identifier`, as `type`.
    func node<M: CacheableModel>(
        _ type: M.Type, _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> M

    /// The record name under which `identifier` is stored.
    func recordName(_ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) -> String

    /// A copy of `bytes` that stays until the record that is being decoded is finished.
    func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer

    /// Called when the read goes on upon another thread.
    func threadDidChange()
}

extension NodeSource {
    /// Runs `body` one level deeper, on a larger stack where the level asks for it.
    package func nested<Value>(
        _ body: () throws(NodeReadFailure) -> Value
    ) throws(NodeReadFailure) -> Value {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= LargeStack.maxNesting else {
            throw .failed(CacheError(.tooDeep, "The record nests more than \(LargeStack.maxNesting) levels."))
        }
        guard nesting == LargeStack.hopDepth else { return try body() }
        return try LargeStack.run(unavailable: NodeReadFailure.failed(LargeStack.noThread)) {
            () throws(NodeReadFailure) in
            threadDidChange()
            return try body()
        }
    }
}

/// The source of decoders that only look at encoded values and neither descend nor fetch.
package final class NoSource: NodeSource, Sendable {
    package static let shared = NoSource()

    package var nesting: Int {
        get { 0 }
        set {}
    }

    package func node<M: CacheableModel>(
        _ type: M.Type, _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> M {
        throw .corrupted
    }

    package func recordName(_ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) -> String {
        throw .corrupted
    }

    package func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer { unsafe bytes }

    package func threadDidChange() {}
}
