import GroveModel

/// The changes of one transaction to a trie.
///
/// What the transaction made carries `version` and is changed in place; anything else is copied first and then listed
/// in ``retired``. Dropping the changes is ``discard()``; the trie it began from is untouched by then.
@safe struct ByteTrieEditor: ~Copyable {
    /// The mark of what this transaction made.
    let version: UInt64

    /// What the published tree reaches and this one no longer does.
    private(set) var retired: [TrieSlot] = []

    /// The slot of the topmost branch, in memory of its own so that it is a place like any other.
    private let top: UnsafeMutablePointer<TrieSlot>

    /// Begins with the published tree `root`.
    init(_ root: TrieBranch, version: UInt64) {
        self.version = version
        unsafe top = UnsafeMutablePointer<TrieSlot>.allocate(capacity: 1)
        unsafe top.initialize(to: TrieSlot(root))
    }

    deinit { unsafe top.deallocate() }

    /// The topmost branch now.
    var root: TrieBranch { unsafe top.pointee.branch }

    /// Puts `entry`, which this transaction made, in place of the one with the same key.
    ///
    /// - Returns: the bytes of key and value of the entry that was replaced, or `nil` where the key is new.
    mutating func insert(_ entry: TrieEntry) -> Int? {
        let hash = unsafe entry.header.pointee.hash
        var place = unsafe top
        var shift: UInt64 = 0
        while true {
            var branch = unsafe editable(place)
            let bit: UInt64 = 1 &<< ((hash &>> shift) & 63)
            let bits = unsafe branch.header.pointee.bits
            let index = (bits & (bit &- 1)).nonzeroBitCount
            guard bits & bit != 0 else {
                branch = unsafe withRoom(place, branch)
                branch.insert(TrieSlot(entry), at: index)
                unsafe branch.header.pointee.bits |= bit
                return nil
            }
            unsafe place = unsafe branch.slots + index
            shift += ByteTrie.bitsPerLevel
            let slot = unsafe place.pointee
            switch slot.kind {
            case .branch:
                continue
            case .entry:
                let old = slot.entry
                if unsafe old.matches(entry.key, hash: hash) { return unsafe replace(place, with: entry) }
                unsafe place.pointee = unsafe join(slot, hash: old.header.pointee.hash, entry, shift: shift)
                return nil
            default:
                let bucketHash = unsafe slot.branch.header.pointee.bits
                guard bucketHash == hash else {
                    unsafe place.pointee = join(slot, hash: bucketHash, entry, shift: shift)
                    return nil
                }
                var bucket = unsafe editable(place)
                if let index = unsafe bucket.indexInBucket(entry.key, hash: hash) {
                    return unsafe replace(bucket.slots + index, with: entry)
                }
                bucket = unsafe withRoom(place, bucket)
                bucket.insert(TrieSlot(entry), at: bucket.count)
                return nil
            }
        }
    }

    /// Takes the entry of `key`, which is there, out of the tree.
    mutating func remove(_ key: UnsafeRawBufferPointer, hash: UInt64) {
        unsafe remove(key, hash: hash, at: top, shift: 0)
    }

    /// Frees what this transaction made; the published tree is as it was.
    func discard() {
        if unsafe root.header.pointee.version == version { ByteTrie.free(root, madeBy: version) }
    }

    private mutating func remove(
        _ key: UnsafeRawBufferPointer, hash: UInt64, at place: UnsafeMutablePointer<TrieSlot>, shift: UInt64
    ) {
        let branch = unsafe editable(place)
        let bit: UInt64 = 1 &<< ((hash &>> shift) & 63)
        let index = unsafe (branch.header.pointee.bits & (bit &- 1)).nonzeroBitCount
        let inner = unsafe branch.slots + index
        switch unsafe inner.pointee.kind {
        case .branch:
            unsafe remove(key, hash: hash, at: inner, shift: shift + ByteTrie.bitsPerLevel)
            // A branch with one entry gives it to its parent, so that equal content has one shape.
            let child = unsafe inner.pointee.branch
            guard child.count == 1, unsafe child.slots[0].kind != .branch else { return }
            unsafe inner.pointee = unsafe child.slots[0]
            child.free()
        case .entry:
            unsafe drop(inner.pointee)
            branch.remove(at: index)
            unsafe branch.header.pointee.bits &= ~bit
        default:
            let bucket = unsafe editable(inner)
            guard let position = unsafe bucket.indexInBucket(key, hash: hash) else { return }
            unsafe drop(bucket.slots[position])
            bucket.remove(at: position)
            guard bucket.count == 1 else { return }
            unsafe inner.pointee = unsafe bucket.slots[0]
            bucket.free()
        }
    }

    /// The branch or bucket at `place`, copied first where another version made it.
    @inline(__always)
    private mutating func editable(_ place: UnsafeMutablePointer<TrieSlot>) -> TrieBranch {
        let slot = unsafe place.pointee
        guard unsafe slot.branch.header.pointee.version != version else { return slot.branch }
        let copy = slot.branch.copy(version: version, extra: 0)
        unsafe place.pointee = TrieSlot(copy, slot.kind)
        retired.append(slot)
        return copy
    }

    /// The branch at `place`, which this transaction made, with room for one more slot.
    @inline(__always)
    private func withRoom(_ place: UnsafeMutablePointer<TrieSlot>, _ branch: TrieBranch) -> TrieBranch {
        guard unsafe branch.header.pointee.count == branch.header.pointee.capacity else { return branch }
        let larger = branch.copy(version: version, extra: 1)
        unsafe place.pointee = unsafe TrieSlot(larger, place.pointee.kind)
        branch.free()
        return larger
    }

    private mutating func replace(_ place: UnsafeMutablePointer<TrieSlot>, with entry: TrieEntry) -> Int {
        let old = unsafe place.pointee
        let payloadBytes = old.entry.payloadBytes
        unsafe place.pointee = TrieSlot(entry)
        drop(old)
        return payloadBytes
    }

    /// Frees what this transaction made, and keeps the rest for the views that reach it.
    private mutating func drop(_ slot: TrieSlot) {
        if slot.version == version { slot.free() } else { retired.append(slot) }
    }

    /// The smallest tree with `slot`, whose hash is `hash`, and `entry`, for a place below `shift` bits.
    private func join(_ slot: TrieSlot, hash: UInt64, _ entry: TrieEntry, shift: UInt64) -> TrieSlot {
        let other = unsafe entry.header.pointee.hash
        guard hash != other else {
            let bucket = TrieBranch.make(version: version, bits: hash, capacity: 2)
            bucket.insert(slot, at: 0)
            bucket.insert(TrieSlot(entry), at: 1)
            return TrieSlot(bucket, .bucket)
        }
        let mine = (hash &>> shift) & 63
        let others = (other &>> shift) & 63
        let branch = TrieBranch.make(version: version, bits: 1 &<< mine | 1 &<< others, capacity: 2)
        if mine == others {
            branch.insert(join(slot, hash: hash, entry, shift: shift + ByteTrie.bitsPerLevel), at: 0)
        } else {
            branch.insert(slot, at: 0)
            branch.insert(TrieSlot(entry), at: mine < others ? 1 : 0)
        }
        return TrieSlot(branch)
    }
}
