import GrovePlatform

/// One allocation of a ``ByteTree``: an entry or a branch. An entry is a key and its value. A branch holds the nodes
/// below it by the symbol that keys have at one position. All keys below a branch have the same symbols before that
/// position.
///
/// There is no reference count: a copy of this value is a pointer, and ``discard()`` is called once for each node.
// SAFETY: a node's memory begins with a `Header`. The slots of a branch follow, all initialized, or the bytes of an
// entry: key, then value. `isEntry` says which, and each access below touches the memory of its kind alone. A node is
// changed only by the tree that made it, while no other thread knows of it; the lock under which a version is published
// orders that before each read. `next` alone is written later: by the one whose list the node is in, and read by no
// other. A node is valid until `discard()`, which the tree calls for nodes of its own that it has taken out, and
// `TreeHistory` for nodes that no version reaches any longer.
@safe struct TreeNode {
    private struct Header {
        /// The number of the version whose transaction made the node.
        var birth: VersionNumber
        var next: TreeNode?
        /// The position of the symbol that a branch looks at, or `noPosition`.
        var position: UInt32
        var keyCount: UInt32 = 0
        var valueCount: UInt32 = 0
    }

    /// The position of an entry, greater than that of any branch.
    static let noPosition = Int(UInt32.max)

    private let header: UnsafeMutablePointer<Header>

    /// The memory after the header.
    private var bytes: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(header + 1) }

    private var slots: UnsafeMutablePointer<TreeNode?> { unsafe bytes.assumingMemoryBound(to: TreeNode?.self) }

    /// Allocates a header and `size` bytes with `malloc`, as Swift's `allocate` is slower on Linux.
    private init(_ start: Header, size: Int) {
        guard let memory = unsafe malloc(MemoryLayout<Header>.stride + size) else {
            preconditionFailure("The system has no memory left.")
        }
        unsafe header = unsafe memory.bindMemory(to: Header.self, capacity: 1)
        unsafe header.initialize(to: start)
    }

    /// Makes a branch whose slots the caller initialises.
    private init(branchAt position: UInt32, birth: VersionNumber, spare: inout NodeList) {
        let start = Header(birth: birth, position: position)
        if let node = spare.popFirst() {
            self = node
            unsafe header.pointee = start
        } else {
            self.init(start, size: KeyBytes.symbols * MemoryLayout<TreeNode?>.stride)
        }
    }

    /// Makes a branch with no node below it, in the memory of a spare one if there is one.
    init(branchAt position: Int, birth: VersionNumber, spare: inout NodeList) {
        self.init(branchAt: UInt32(truncatingIfNeeded: position), birth: birth, spare: &spare)
        unsafe slots.initialize(repeating: nil, count: KeyBytes.symbols)
    }

    /// Makes a branch with the same nodes below it as `other`.
    @inline(__always)
    init(copyOf other: TreeNode, birth: VersionNumber, spare: inout NodeList) {
        self.init(branchAt: unsafe other.header.pointee.position, birth: birth, spare: &spare)
        unsafe slots.initialize(from: other.slots, count: KeyBytes.symbols)
    }

    /// Makes an entry; `key` and `value`, each of less than 2 GB, are copied.
    init(entry key: KeyBytes, _ value: UnsafeRawBufferPointer, birth: VersionNumber) {
        let count = unsafe (key: key.bytes.count, all: key.bytes.count + value.count)
        let start = Header(
            birth: birth, position: .max, keyCount: UInt32(truncatingIfNeeded: count.key),
            valueCount: UInt32(truncatingIfNeeded: value.count))
        self.init(start, size: count.all)
        let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count.all)
        unsafe room.copyMemory(from: key.bytes)
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[count.key...]).copyMemory(from: value)
    }

    /// Frees the memory of this node alone; nodes below a branch stay.
    func discard() { unsafe free(header) }

    var birth: VersionNumber { unsafe header.pointee.birth }

    /// The node after this one in its list.
    var next: TreeNode? {
        get { unsafe header.pointee.next }
        nonmutating set { unsafe header.pointee.next = newValue }
    }

    /// The position of the symbol that a branch looks at; ``noPosition`` for an entry.
    @inline(__always)
    var position: Int { unsafe Int(header.pointee.position) }

    @inline(__always)
    var isEntry: Bool { position == TreeNode.noPosition }

    /// The node below a branch under `symbol`.
    @inline(__always)
    subscript(symbol: Int) -> TreeNode? {
        get { unsafe slots[symbol] }
        nonmutating set { unsafe slots[symbol] = newValue }
    }

    /// An entry's key.
    @inline(__always)
    var key: KeyBytes { unsafe KeyBytes(UnsafeRawBufferPointer(start: bytes, count: Int(header.pointee.keyCount))) }

    /// An entry's value, never with a null base.
    @inline(__always)
    var value: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            start: bytes + Int(header.pointee.keyCount), count: Int(header.pointee.valueCount))
    }

    /// Bytes of an entry's key and value together.
    var payloadBytes: Int { unsafe Int(header.pointee.keyCount) + Int(header.pointee.valueCount) }
}
