/// A small generator whose programs replay from their seed (Steele, Lea and Flood, "SplitMix", 2014).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// A key of one to three letters of a small alphabet, so that programs meet the same keys again.
    package mutating func key() -> [UInt8] {
        (0..<Int.random(in: 1...3, using: &self)).map { _ in
            [0x00, 0x61, 0x62, 0x7f, 0x80, 0xff][Int.random(in: 0..<6, using: &self)]
        }
    }

    package mutating func value() -> [UInt8] {
        [UInt8](repeating: UInt8.random(in: 0...255, using: &self), count: Int.random(in: 0...40, using: &self))
    }
}
