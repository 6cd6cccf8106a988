import GroveCache
import GroveCoding
import GroveModel

/// A persistent map from bytes to bytes: a hash array mapped trie with 64-way branches.
///
/// A root that was published is never changed. A ``ByteTrieEditor`` copies the path to what it changes, once per
/// transaction, and changes in place what it has made itself, so that a batch costs one copy of each branch it touches.
/// Nothing is counted: an object that a commit replaced is freed when no view is old enough to reach it.
///
/// Phil Bagwell, "Ideal Hash Trees" (2001); the edit mark is that of Clojure's transients.
struct ByteTrie: Sendable {
    /// The topmost branch, which may be empty.
    let root: TrieBranch

    /// The number of bits of the hash that a branch uses.
    static let bitsPerLevel: UInt64 = 6

    /// The entry of `key`.
    ///
    /// - Complexity: O(1) expected: a visit of log₆₄ *n* branches and one comparison.
    @inline(__always)
    static func find(_ root: TrieBranch, _ key: UnsafeRawBufferPointer, hash: UInt64) -> TrieEntry? {
        var branch = root
        var rest = hash
        while true {
            let bits = unsafe branch.header.pointee.bits
            let bit = 1 &<< (rest & 63)
            guard bits & bit != 0 else { return nil }
            let slot = unsafe branch.slots[(bits & (bit &- 1)).nonzeroBitCount]
            switch slot.kind {
            case .branch:
                branch = slot.branch
                rest &>>= bitsPerLevel
            case .entry:
                let entry = slot.entry
                return unsafe entry.matches(key, hash: hash) ? entry : nil
            default:
                let bucket = slot.branch
                guard unsafe bucket.header.pointee.bits == hash else { return nil }
                return unsafe bucket.indexInBucket(key, hash: hash).map { unsafe bucket.slots[$0].entry }
            }
        }
    }

    /// Visits every entry, in no order that means anything.
    static func forEach(_ branch: TrieBranch, _ visit: (TrieEntry) -> Void) {
        for index in 0..<branch.count {
            let slot = unsafe branch.slots[index]
            if slot.kind == .entry { visit(slot.entry) } else { forEach(slot.branch, visit) }
        }
    }

    /// The entries whose keys begin with `prefix`, in the order of their keys' bytes.
    ///
    /// - Complexity: O(*n* + *m* log *m*) for *m* such entries among *n*.
    static func sorted(_ root: TrieBranch, prefix: UnsafeRawBufferPointer) -> [TrieEntry] {
        var found: [TrieEntry] = []
        forEach(root) { entry in
            if unsafe entry.key.begins(with: prefix) { found.append(entry) }
        }
        found.sort { unsafe lexicographicOrder($0.key, $1.key) < 0 }
        return found
    }

    /// Frees `branch` and what is below it: all of it, or only what `version` made.
    static func free(_ branch: TrieBranch, madeBy version: UInt64?) {
        for index in 0..<branch.count {
            let slot = unsafe branch.slots[index]
            if let version, slot.version != version { continue }
            if slot.kind == .entry { slot.entry.free() } else { free(slot.branch, madeBy: version) }
        }
        branch.free()
    }
}
