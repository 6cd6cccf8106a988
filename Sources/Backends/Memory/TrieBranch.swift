/// An inner node of the trie: up to 64 slots, of which only those in use are stored.
///
/// Two kinds share the layout. A *branch* picks a slot by six bits of the hash: `bits` has a bit set for each slot in
/// use, whose index is the number of bits set below it. A *bucket* holds the entries whose whole hashes are equal:
/// `bits` is that hash and the slots are searched in turn.
// SAFETY: one transaction writes a branch before a root that reaches it is published; it is only read afterwards.
@safe struct TrieBranch: @unchecked Sendable {
    /// What stands before the slots.
    struct Header {
        /// The version of the store whose transaction made the branch and may still change it.
        let version: UInt64
        var bits: UInt64
        var count: UInt32
        let capacity: UInt32
    }

    let header: UnsafeMutablePointer<Header>

    /// The first slot.
    @inline(__always)
    var slots: UnsafeMutablePointer<TrieSlot> {
        unsafe UnsafeMutableRawPointer(header + 1).assumingMemoryBound(to: TrieSlot.self)
    }

    @inline(__always)
    var count: Int { unsafe Int(header.pointee.count) }

    @inline(__always)
    init(_ header: UnsafeMutablePointer<Header>) { unsafe self.header = unsafe header }

    /// Makes a branch without slots in use and with room for `capacity` of them.
    static func make(version: UInt64, bits: UInt64 = 0, capacity: Int) -> TrieBranch {
        let size = MemoryLayout<Header>.stride + capacity * MemoryLayout<TrieSlot>.stride
        let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        let header = unsafe block.bindMemory(to: Header.self, capacity: 1)
        unsafe header.initialize(to: Header(version: version, bits: bits, count: 0, capacity: UInt32(capacity)))
        let branch = unsafe TrieBranch(header)
        unsafe (block + MemoryLayout<Header>.stride).bindMemory(to: TrieSlot.self, capacity: capacity)
        return branch
    }

    /// A copy that belongs to `version`, with room for `extra` more slots.
    func copy(version: UInt64, extra: Int) -> TrieBranch {
        let needed = count + extra
        let capacity = needed <= 2 ? 2 : needed <= 4 ? 4 : (needed + 7) & ~7
        let copy = unsafe TrieBranch.make(version: version, bits: header.pointee.bits, capacity: capacity)
        unsafe copy.slots.initialize(from: slots, count: count)
        unsafe copy.header.pointee.count = unsafe header.pointee.count
        return copy
    }

    /// Puts `slot` at `index` and moves the later ones up; there is room.
    func insert(_ slot: TrieSlot, at index: Int) {
        unsafe precondition(header.pointee.count < header.pointee.capacity, "a branch is grown before it is full")
        let place = unsafe slots + index
        unsafe (place + 1).update(from: place, count: count - index)
        unsafe place.initialize(to: slot)
        unsafe header.pointee.count += 1
    }

    /// Takes the slot at `index` out and moves the later ones down.
    func remove(at index: Int) {
        let place = unsafe slots + index
        unsafe place.update(from: place + 1, count: count - index - 1)
        unsafe header.pointee.count -= 1
    }

    /// The index of the entry of `key` in a bucket.
    func indexInBucket(_ key: UnsafeRawBufferPointer, hash: UInt64) -> Int? {
        for index in 0..<count where unsafe slots[index].entry.matches(key, hash: hash) { return index }
        return nil
    }

    /// Gives the memory back, not that of what the slots point to.
    func free() { unsafe UnsafeMutableRawPointer(header).deallocate() }
}

/// A pointer to a branch, a bucket or an entry, told apart by its two lowest bits.
struct TrieSlot: Sendable {
    private let bits: UInt

    /// What a slot points to.
    enum Kind: UInt {
        case branch = 0
        case entry = 1
        case bucket = 2
        /// A whole tree that is to be freed; it stands in lists of garbage only.
        case tree = 3
    }

    @inline(__always)
    init(_ entry: TrieEntry) { bits = unsafe UInt(bitPattern: entry.header) | Kind.entry.rawValue }

    @inline(__always)
    init(_ branch: TrieBranch, _ kind: Kind = .branch) { bits = unsafe UInt(bitPattern: branch.header) | kind.rawValue }

    @inline(__always)
    var kind: Kind {
        switch bits & 3 {
        case 0: .branch
        case 1: .entry
        case 2: .bucket
        default: .tree
        }
    }

    @inline(__always)
    private func pointer<T>(to type: T.Type) -> UnsafeMutablePointer<T> {
        guard let pointer = unsafe UnsafeMutablePointer<T>(bitPattern: bits & ~3) else {
            preconditionFailure("a slot is never empty")
        }
        return unsafe pointer
    }

    /// The entry, where the kind is `entry`.
    @inline(__always)
    var entry: TrieEntry { unsafe TrieEntry(pointer(to: TrieEntry.Header.self)) }

    /// The branch or bucket, where the kind is one of these.
    @inline(__always)
    var branch: TrieBranch { unsafe TrieBranch(pointer(to: TrieBranch.Header.self)) }

    /// The version that made what the slot points to.
    var version: UInt64 { unsafe kind == .entry ? entry.header.pointee.version : branch.header.pointee.version }

    /// Gives the memory back of what the slot points to: of that object only, or of a whole `tree`.
    func free() {
        switch kind {
        case .entry: entry.free()
        case .branch, .bucket: branch.free()
        case .tree: ByteTrie.free(branch, madeBy: nil)
        }
    }
}
