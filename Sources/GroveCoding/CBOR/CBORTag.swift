/// The CBOR tags that appear in records.
package enum CBORTag {
    /// Seconds since 1970 (RFC 8949 §3.4.2), for dates that they give back exactly.
    package static let epochSeconds: UInt64 = 1
    /// An exponent of ten and a mantissa (RFC 8949 §3.4.4).
    package static let decimalFraction: UInt64 = 4
    /// Unsigned and negative big numbers (RFC 8949 §3.4.3).
    package static let unsignedBignum: UInt64 = 2
    package static let negativeBignum: UInt64 = 3
    /// A URI (RFC 8949 §3.4.5.3).
    package static let uri: UInt64 = 32
    /// A UUID as 16 bytes (the IANA registry of CBOR tags).
    package static let uuid: UInt64 = 37
    /// Grove's own, from the first-come-first-served range: a reference to an identified node, holding its identifier
    /// as text, or an array of the identifier and the name of an enum's case.
    package static let reference: UInt64 = 59_214
    /// Grove's own: seconds since 2001 as a double, for dates that are not exact in seconds since 1970.
    package static let referenceSeconds: UInt64 = 59_215
}
