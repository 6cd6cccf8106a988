import GroveModel

// What is written is told apart by its bits: -0.0 from 0.0, and a NaN from another, but not from itself.
extension NodeEncoder {
    /// Whether two values are written alike, the nodes inside them included; false if one of them cannot be written.
    ///
    /// Values with a NaN in them are, and differ for `==`.
    ///
    /// - Complexity: O(*n*) for *n* bytes; both are encoded.
    public static func writesAlike<Value: NodeCodable>(_ left: Value, _ right: Value) -> Bool {
        areAlike(
            { (encoder) throws(CacheError) in try left.encodeValue(to: &encoder) },
            { (encoder) throws(CacheError) in try right.encodeValue(to: &encoder) })
    }

    /// Whether two values are written alike, the way in which the `Codable` path writes them.
    @_disfavoredOverload
    public static func writesAlike<Value: Encodable>(_ left: Value, _ right: Value) -> Bool {
        areAlike(
            { (encoder) throws(CacheError) in try encoder.encode(left) },
            { (encoder) throws(CacheError) in try encoder.encode(right) })
    }

    private static func areAlike(
        _ writeLeft: (inout NodeEncoder) throws(CacheError) -> Void,
        _ writeRight: (inout NodeEncoder) throws(CacheError) -> Void
    ) -> Bool {
        do throws(CacheError) {
            var left = NodeEncoder(into: NodeTree())
            var right = NodeEncoder(into: NodeTree())
            try writeLeft(&left)
            try writeRight(&right)
            return unsafe left.out.bytes.elementsEqual(right.out.bytes) && left.tree.isAlike(right.tree)
        } catch {
            return false
        }
    }
}

extension NodeTree {
    /// Whether `other` has the same nodes in the same order.
    fileprivate func isAlike(_ other: NodeTree) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count {
            let (left, right) = (entries[index], other.entries[index])
            let (type, otherType) = (type(at: left.type), other.type(at: right.type))
            guard unsafe identifier(of: left).elementsEqual(other.identifier(of: right)),
                unsafe type.recordName.elementsEqual(otherType.recordName),
                unsafe type.projection.elementsEqual(otherType.projection),
                let body = try? namedBody(of: left), let otherBody = try? other.namedBody(of: right), body == otherBody
            else { return false }
        }
        return true
    }
}
