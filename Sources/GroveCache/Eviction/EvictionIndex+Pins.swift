import GroveModel

/// The index and the pins: what is marked is the pins', and everything else the policy's.
extension EvictionIndex {
    /// The part of the payload that may be pinned, in hundredths: what is left is for what comes and goes, and for the
    /// engine, which needs room to write even where nothing can be evicted.
    private static let pinnedShare = 50

    /// The most that may be pinned, in bytes; `nil` where only the number of records is limited.
    var pinLimit: Int? { budget.bytes == nil ? nil : capacity / 100 * EvictionIndex.pinnedShare }

    /// Whether more is pinned than may be.
    var pinsTooMuch: Bool { pins.bytes > pinLimit ?? .max || pins.count > budget.nodes ?? .max }

    /// Takes what is stored under a marked key, a value of `valueCount` bytes, out of the policy.
    func pin(_ key: UnsafeRawBufferPointer, _ hash: UInt64, valueCount: Int) {
        if policy.contains(hash) {
            _ = policy.remove(hash)
            changesSinceSave += 1
        }
        unsafe pins.note(hash, bytes: EvictionIndex.bytes(key, valueCount: valueCount))
    }

    /// Takes a mark away that does not fit, and gives what is stored under it back to the policy.
    func unpin(_ key: UnsafeRawBufferPointer, _ hash: UInt64, valueCount: Int) {
        pins.leaveOut(hash)
        unsafe giveBack(hash, weight: weight(key, valueCount: valueCount))
    }
}
