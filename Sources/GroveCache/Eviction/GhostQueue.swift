/// What was evicted lately, in the order it went: eight bytes and some five of index for each.
///
/// A ghost is 32 bits of its key's hash, so that one in four thousand million is somebody else's.
struct GhostQueue: Sendable {
    /// A ghost, or a hole where one was taken.
    struct Ghost: IndexedEntry, Sendable {
        var key: UInt32
        var touched: UInt16
        /// As ``pack(_:)`` makes it; 0 for a hole.
        var packedWeight: UInt16

        @inline(__always)
        static func hash(of key: UInt32) -> UInt32 { key }

        var weight: Int { Int(packedWeight & 0x7ff) << Int(packedWeight >> 11) }
    }

    /// A ring: `used` places from `first`, holes among them.
    private var ring: ContiguousArray<Ghost> = []
    private var index = KeyIndex<Ghost>()
    private var first = 0
    private var used = 0

    /// The weight of all ghosts, each rounded down to eleven significant bits.
    private(set) var weight = 0

    /// The number of ghosts.
    var count: Int { index.count }

    /// Bytes allocated.
    var bytes: Int { ring.capacity * MemoryLayout<Ghost>.stride + index.bytes }

    /// Makes room for `count` ghosts altogether.
    mutating func reserve(_ count: Int) {
        ring.reserveCapacity(count)
        index.reserve(count, in: ring)
    }

    /// Adds the newest ghost.
    mutating func add(_ key: UInt32, touched: UInt16, weight: UInt32) {
        append(Ghost(key: key, touched: touched, packedWeight: Self.pack(weight)))
    }

    /// Adds a ghost as it was saved.
    mutating func append(_ ghost: Ghost) {
        _ = take(ghost.key)
        if used == ring.count {
            if first == 0, count + count / 16 >= used {
                ring.growGently()
                ring.append(ghost)
            } else {
                straighten()
                place(ghost)
            }
        } else {
            place(ghost)
        }
        used += 1
        index.add(position(used - 1), in: ring)
        weight += ghost.weight
    }

    /// Takes the ghost of `key` away and returns when that was last touched.
    mutating func take(_ key: UInt32) -> UInt16? {
        guard let position = index.position(of: key, in: ring) else { return nil }
        let ghost = ring[position]
        drop(position)
        return ghost.touched
    }

    /// Forgets the oldest ghosts until the others weigh no more than `limit`.
    mutating func trim(to limit: Int) {
        while weight > limit, used > 0 {
            if ring[first].packedWeight != 0 { drop(first) }
            first = first + 1 == ring.count ? 0 : first + 1
            used -= 1
        }
    }

    /// Calls `body` with every ghost, the oldest first.
    func forEach(_ body: (Ghost) -> Void) {
        for offset in 0..<used where ring[position(offset)].packedWeight != 0 { body(ring[position(offset)]) }
    }

    /// Eleven significant bits and an exponent of two.
    static func pack(_ weight: UInt32) -> UInt16 {
        let exponent = max(21 - weight.leadingZeroBitCount, 0)
        return UInt16(exponent) << 11 | UInt16(weight >> UInt32(exponent))
    }

    private func position(_ offset: Int) -> Int {
        let position = first + offset
        return position >= ring.count ? position - ring.count : position
    }

    private mutating func place(_ ghost: Ghost) {
        ring[position(used)] = ghost
    }

    private mutating func drop(_ position: Int) {
        index.remove(position, in: ring)
        weight -= ring[position].weight
        ring[position].packedWeight = 0
    }

    /// Leaves the holes out, with room for a sixteenth more.
    private mutating func straighten() {
        var straight: ContiguousArray<Ghost> = []
        let size = count + count / 16 + 16
        straight.reserveCapacity(size)
        forEach { straight.append($0) }
        let live = straight.count
        while straight.count < size { straight.append(Ghost(key: 0, touched: 0, packedWeight: 0)) }
        ring = straight
        index.removeAll()
        for position in 0..<live { index.add(position, in: ring) }
        (first, used) = (0, live)
    }
}
