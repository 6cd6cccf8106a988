/// Where a decoder gets the children from: one read of one tree, inside one view of the store.
///
/// Abstract: the cache's reconstructor overrides ``node(_:_:)``, ``recordName(_:)`` and ``keep(_:)``.
package class NodeSource {
    package final var nesting = 0

    package init() {}

    /// The newest version of the node of `identifier`, as `type`.
    package func node<M: CacheableModel>(
        _ type: M.Type, _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> M {
        preconditionFailure("a source overrides node(_:_:)")
    }

    /// The record name under which `identifier` is stored.
    package func recordName(_ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) -> String {
        preconditionFailure("a source overrides recordName(_:)")
    }

    /// A copy of `bytes` that stays until the record that is being decoded is finished.
    package func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        preconditionFailure("a source overrides keep(_:)")
    }

    /// Runs `body` one level deeper, on a larger stack where the level asks for it.
    package final func nested<Value>(
        _ body: () throws(NodeReadFailure) -> Value
    ) throws(NodeReadFailure) -> Value {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= LargeStack.maxNesting else {
            throw .failed(CacheError(.tooDeep, "The record nests more than \(LargeStack.maxNesting) levels."))
        }
        guard nesting == LargeStack.hopDepth else { return try body() }
        return try LargeStack.run(unavailable: NodeReadFailure.failed(LargeStack.noThread), body)
    }
}
