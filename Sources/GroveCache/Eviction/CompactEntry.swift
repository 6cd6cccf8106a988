/// A resident entry of ``AdaptiveS3FIFO``: 20 bytes, aligned to four.
struct CompactEntry: IndexedEntry, Sendable {
    private let high: UInt32
    private let low: UInt32
    var weight: UInt32
    /// The position of the next newer entry of its queue, or of the next free place.
    var newer: UInt32
    /// Two bits of counter, the main queue's, the removed one's, and 28 of when it was last touched.
    private var mark: UInt32

    init(key: UInt64, weight: UInt32, isMain: Bool, touched: UInt32) {
        high = UInt32(truncatingIfNeeded: key >> 32)
        low = UInt32(truncatingIfNeeded: key)
        self.weight = weight
        newer = .max
        mark = touched << 4 | (isMain ? 4 : 0)
    }

    var key: UInt64 { UInt64(high) << 32 | UInt64(low) }

    @inline(__always)
    static func hash(of key: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: mixedHash(key) >> 32) }

    /// Reads since it was added or last spared, at most 3.
    var reads: UInt32 {
        get { mark & 3 }
        set { mark = mark & ~3 | min(newValue, 3) }
    }

    /// Whether it is in the main queue.
    var isMain: Bool {
        get { mark & 4 != 0 }
        set { mark = newValue ? mark | 4 : mark & ~4 }
    }

    /// Whether it was removed, and only waits in its queue to be passed over.
    var isRemoved: Bool {
        get { mark & 8 != 0 }
        set { mark = newValue ? mark | 8 : mark & ~8 }
    }

    /// The time it was last touched, modulo 2²⁸.
    var touched: UInt32 {
        get { mark >> 4 }
        set { mark = newValue << 4 | mark & 15 }
    }
}
