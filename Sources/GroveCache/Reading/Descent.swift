import GroveCoding
import GroveModel

/// The way from the root of a tree to the node that is being decoded.
struct Descent: ~Copyable {
    /// The reference that the tree is read by.
    private var root = ByteBuffer(capacity: 64)
    /// The nodes from the root to the one that is being decoded, without a leaf.
    private(set) var path: [Step] = []
    var nesting = 0
    /// Whether the node that is being decoded is a leaf: one projection wrote its record, which says that it holds no
    /// references.
    private(set) var isInLeaf = false
    /// The level of the root: not 0 if the whole read is on a large stack.
    private(set) var rootNesting = 0
    var hops = 0
    /// The places in time of the references on the way.
    var places = ReferencePlaces()
    /// The records on the way of which the reading projection wrote a part.
    var mixed = MixedRecords()

    @safe
    struct Step {
        var identifier: UnsafeRawBufferPointer
        var hash: UInt64
        var type: ObjectIdentifier
        var holdsReferences: Bool
        /// Whether the node's record is among ``Descent/mixed``.
        var isMixed: Bool
        /// The record that holds the reference to the node.
        var holder: ReferencePlaces.Holder
        var mark: ScratchArena.Mark
    }

    deinit { root.deallocate() }

    /// Begins at the root `identifier`; returns the encoded reference to it, which stays until the next call.
    mutating func begin(at identifier: ModelIdentifier) -> UnsafeRawBufferPointer {
        root.removeAll()
        root.appendHead(CBORMajor.tag, CBORTag.reference)
        root.appendText(identifier.rawValue)
        return unsafe root.bytes
    }

    /// Goes back above the root.
    @inline(__always)
    mutating func reset() {
        path.removeAll(keepingCapacity: path.count <= 64)
        places.reset()
        mixed.removeAll()
        nesting = 0
        isInLeaf = false
        rootNesting = 0
        hops = 0
    }

    /// Says that the thread's stack is a large one, so that nothing needs to hop.
    mutating func stayOnLargeStack() {
        nesting = LargeStack.hopDepth
        rootNesting = LargeStack.hopDepth
    }

    /// Whether a value inside the root is being decoded.
    var isBelowRoot: Bool {
        @inline(__always) get { nesting > rootNesting }
    }

    /// Whether nothing is being decoded.
    var isOver: Bool { path.isEmpty && nesting == rootNesting }

    /// Whether the thread's stack is used up, as far as this read goes.
    var needsLargerStack: Bool {
        @inline(__always) get { nesting == LargeStack.hopDepth }
    }

    /// Whether the way leads through the node of `identifier`, decoded as `type`.
    func contains(_ identifier: UnsafeRawBufferPointer, _ hash: UInt64, _ type: ObjectIdentifier) -> Bool {
        for index in 0..<path.count {
            let step = path[index]
            if unsafe step.holdsReferences && step.hash == hash && step.type == type
                && isEqual(step.identifier, identifier)
            {
                return true
            }
        }
        return false
    }

    // MARK: Steps

    /// Goes down into a node, whose record is `holder` to the nodes below it.
    @inline(__always)
    mutating func enter(_ step: Step, as holder: ReferencePlaces.Holder) {
        path.append(step)
        places.holder = holder
        nesting += 1
    }

    /// Goes back to the node that holds the current one; returns the step that led to that, or `nil` above the root.
    @inline(__always)
    mutating func leave() -> Step? {
        guard let step = path.popLast() else { return nil }
        nesting -= 1
        if step.isMixed { mixed.removeLast() }
        places.leave(to: step.holder)
        return step
    }

    /// Goes down into a leaf.
    @inline(__always)
    mutating func enterLeaf() {
        nesting += 1
        isInLeaf = true
    }

    /// Goes back to the node that holds the leaf.
    @inline(__always)
    mutating func leaveLeaf() {
        nesting -= 1
        isInLeaf = false
    }

    /// Goes down into a list, whose elements each have a place in time.
    mutating func enterList() { nesting += 1 }

    /// Goes back above the list.
    mutating func leaveList() {
        places.holder.sequence = .max
        nesting -= 1
    }
}
