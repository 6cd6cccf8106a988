#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import GroveModel

/// A URL is stored as its text under the standard tag.
///
/// A URL that is relative to another is stored as an array of its own text and the other's, so that it is read back as
/// relative.
extension URL: NodeCodable {
    /// Writes the URL.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        guard let baseURL else { return URL.write(absoluteString, to: &encoder) }
        encoder.writeArrayHead(count: 2)
        URL.write(relativeString, to: &encoder)
        URL.write(baseURL.absoluteString, to: &encoder)
    }

    private static func write(_ text: String, to encoder: inout NodeEncoder) {
        encoder.writeTag(CBORTag.uri)
        encoder.write(text)
    }

    /// Reads a URL, or fails with `otherShape`.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> URL {
        let url: URL?
        if let text = try read(&decoder) {
            url = URL(string: text)
        } else {
            guard try decoder.readArrayHead() == 2, let text = try read(&decoder), let base = try read(&decoder),
                let baseURL = URL(string: base)
            else { throw .otherShape }
            url = URL(string: text, relativeTo: baseURL)
        }
        guard let url else { throw .otherShape }
        return url
    }

    private static func read(_ decoder: inout NodeDecoder) throws(NodeReadFailure) -> String? {
        guard let tag = try decoder.readTag() else { return nil }
        guard tag == CBORTag.uri else { throw .otherShape }
        return try decoder.readString()
    }
}
