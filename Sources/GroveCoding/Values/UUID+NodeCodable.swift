#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import GroveModel

/// A UUID is stored as its 16 bytes under the registered tag.
extension UUID: NodeCodable {
    /// Writes the UUID.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        encoder.writeTag(CBORTag.uuid)
        unsafe withUnsafeBytes(of: uuid) { unsafe encoder.write($0) }
    }

    /// Reads a UUID, or fails with `otherShape`.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> UUID {
        guard try decoder.readTag() == CBORTag.uuid else { throw .otherShape }
        let uuid: UUID? = unsafe try decoder.readBytes { bytes in
            guard bytes.count == MemoryLayout<uuid_t>.size else { return nil }
            return unsafe UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
        }
        guard let uuid else { throw .otherShape }
        return uuid
    }
}
