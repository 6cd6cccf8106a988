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
        var decoder = unsafe NodeDecoder(bytes, source: NoSource.shared, isStable: true)
        do throws(NodeReadFailure) {
            while !decoder.isAtEnd {
                if try decoder.isAtFloat() {
                    if try decoder.readDouble().isNaN { return true }
                    continue
                }
                let (major, argument) = try decoder.readHead()
                if major == CBORMajor.bytes || major == CBORMajor.text { try decoder.skip(bytes: argument) }
            }
            return false
        } catch {
            return false
        }
    }
}
