import GroveModel

// Values with a NaN in them differ by `==`, even from themselves. Encodings hold numbers by their bits.
extension NodeEncoder {
    /// Whether two values that `==` finds different differ only in a NaN, which is never equal to itself.
    ///
    /// It is true if both values and the nodes inside them are written as the same bytes, with a NaN among them.
    /// Without a NaN it is false, since `==` may compare properties that are not written. It is also false if a value
    /// cannot be written.
    ///
    /// - Complexity: O(*n*) for *n* bytes; both are encoded.
    public static func areSameButForNaN<Value: NodeCodable>(_ left: Value, _ right: Value) -> Bool {
        areSameButForNaN(
            { (encoder) throws(CacheError) in try left.encodeValue(to: &encoder) },
            { (encoder) throws(CacheError) in try right.encodeValue(to: &encoder) })
    }

    /// Whether two values that `==` finds different differ only in a NaN, as their `Codable` conformance writes them.
    @_disfavoredOverload
    public static func areSameButForNaN<Value: Encodable>(_ left: Value, _ right: Value) -> Bool {
        areSameButForNaN(
            { (encoder) throws(CacheError) in try encoder.encode(left) },
            { (encoder) throws(CacheError) in try encoder.encode(right) })
    }

    private static func areSameButForNaN(
        _ writeLeft: (inout NodeEncoder) throws(CacheError) -> Void,
        _ writeRight: (inout NodeEncoder) throws(CacheError) -> Void
    ) -> Bool {
        do throws(CacheError) {
            var left = NodeEncoder(into: NodeTree())
            try writeLeft(&left)
            guard unsafe CBORFloat.holdsNaN(left.out.bytes) || left.tree.holdsNaN else { return false }
            var right = NodeEncoder(into: NodeTree())
            try writeRight(&right)
            return unsafe left.out.bytes.elementsEqual(right.out.bytes) && left.tree.isAlike(right.tree)
        } catch {
            return false
        }
    }
}

extension NodeTree {
    fileprivate var holdsNaN: Bool { (0..<count).contains { unsafe CBORFloat.holdsNaN(node($0).body) } }

    /// Whether `other` has the same nodes in the same order.
    fileprivate func isAlike(_ other: NodeTree) -> Bool {
        guard count == other.count else { return false }
        return (0..<count).allSatisfy { index in
            let (left, right) = (node(index), other.node(index))
            return unsafe left.key.elementsEqual(right.key) && left.body.elementsEqual(right.body)
                && left.recordName.elementsEqual(right.recordName) && left.projection.elementsEqual(right.projection)
        }
    }
}

extension CBORFloat {
    /// Whether a NaN is in `bytes`, which are whole values one after the other, as ``NodeEncoder`` writes them.
    static func holdsNaN(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            let (major, info) = unsafe (bytes[index] & 0xE0, Int(bytes[index] & 0x1F))
            index += 1
            var argument = UInt64(info)
            let width = info < 24 ? 0 : 1 << (info - 24)
            if width > 0 {
                guard width <= bytes.count - index else { return false }
                argument = unsafe bytes[index..<index + width].reduce(0) { $0 << 8 | UInt64($1) }
                index += width
            }
            switch (major, width) {
            case (CBORMajor.simple, 2) where argument & 0x7FFF > 0x7C00: return true
            case (CBORMajor.simple, 4) where argument & 0x7FFF_FFFF > 0x7F80_0000: return true
            case (CBORMajor.simple, 8) where argument & 0x7FFF_FFFF_FFFF_FFFF > 0x7FF0_0000_0000_0000: return true
            case (CBORMajor.bytes, _), (CBORMajor.text, _):
                guard argument <= bytes.count - index else { return false }
                index += Int(argument)
            default: break
            }
        }
        return false
    }
}
