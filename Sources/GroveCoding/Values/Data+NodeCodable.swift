#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import GroveModel

/// Data is stored as a byte string.
extension Data: NodeCodable {
    /// Writes the bytes.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        unsafe withUnsafeBytes { unsafe encoder.write($0) }
    }

    /// Reads bytes, or fails with `otherShape`.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Data {
        unsafe try decoder.readBytes { unsafe Data($0) }
    }
}
