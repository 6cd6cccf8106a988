/// How keys of up to 8,192 bytes are stored in an engine that takes 511.
///
/// The length of a stored key says what it is:
///
/// | stored key                                   | length   | stored value                             |
/// |----------------------------------------------|----------|------------------------------------------|
/// | the key itself                               | 1...494  | the value                                |
/// | its first 494 bytes, hash (8), slot (2)      | 504      | length of the key (4), the key, the value |
/// | 511 bytes of 0xFF                            | 511      | the stamp: "GroveLMD", layout version (4) |
///
/// The hash is `hash64` with seed 0. Numbers in keys are big-endian, in values little-endian. Long keys of one beginning and one hash lie in slots of
/// their own, beside each other, and are told apart by the original key. Records sort by their first 494 bytes, the
/// short key of exactly those bytes first: only long keys that share them all are out of order among themselves.
enum LMDBKey {
    /// The longest key that is stored as it is, and how much of a longer one stays readable.
    static let shortLimit = 494

    /// The length of a long key's beginning and hash.
    static let stemCount = shortLimit + 8

    /// The length of every stored key that stands for a long one.
    static let longCount = stemCount + 2

    /// The length of the stamp's key.
    static let stampCount = 511

    /// The longest key that a store takes.
    static let limit = 8_192

    /// The length of the number before a long key's original in its value.
    static let headerCount = 4

    /// The number of slots of one hash.
    static let slots = 1 << 16

    /// Writes the stored form of the long `key`, in slot 0, into `storage` of ``longCount`` bytes.
    static func encode(_ key: UnsafeRawBufferPointer, hash: UInt64, into storage: UnsafeMutableRawBufferPointer) {
        unsafe storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: key.prefix(shortLimit)))
        unsafe storage.storeBytes(of: hash.bigEndian, toByteOffset: shortLimit, as: UInt64.self)
        unsafe setSlot(0, in: storage)
    }

    /// Changes the slot of a stored long key.
    static func setSlot(_ slot: UInt16, in storage: UnsafeMutableRawBufferPointer) {
        unsafe storage.storeBytes(of: slot.bigEndian, toByteOffset: stemCount, as: UInt16.self)
    }

    /// The slot of a stored long key.
    static func slot(of storedKey: UnsafeRawBufferPointer) -> UInt16 {
        unsafe UInt16(bigEndian: storedKey.loadUnaligned(fromByteOffset: stemCount, as: UInt16.self))
    }

    /// The original key and the value in a long key's record, or `nil` where the record is damaged.
    static func split(
        _ stored: UnsafeRawBufferPointer
    ) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard stored.count >= headerCount else { return nil }
        let count = unsafe Int(UInt32(littleEndian: stored.loadUnaligned(as: UInt32.self)))
        guard count > shortLimit, count <= limit, stored.count - headerCount >= count else { return nil }
        let end = headerCount + count
        return unsafe (
            UnsafeRawBufferPointer(rebasing: stored[headerCount..<end]),
            UnsafeRawBufferPointer(rebasing: stored[end...])
        )
    }
}
