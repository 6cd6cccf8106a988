#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import GroveModel

/// A date is stored as seconds since 1970 under the standard tag, if these give back every bit of the date.
///
/// Whole seconds are then stored as an integer. Otherwise a date is stored as seconds since 2001, which is what a
/// `Date` holds, under a tag of Grove's own.
extension Date: NodeCodable {
    /// Seconds from 1970 to 2001.
    private static let epoch: Double = 978_307_200

    /// Writes the date.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        let reference = timeIntervalSinceReferenceDate
        let seconds = reference + Date.epoch
        guard seconds.isFinite, (seconds - Date.epoch).bitPattern == reference.bitPattern else {
            encoder.writeTag(CBORTag.referenceSeconds)
            encoder.write(reference)
            return
        }
        encoder.writeTag(CBORTag.epochSeconds)
        if let whole = Int64(exactly: seconds) {
            encoder.write(whole)
        } else {
            encoder.write(seconds)
        }
    }

    /// Reads a date, or fails with `otherShape`.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Date {
        switch try decoder.readTag() {
        case CBORTag.referenceSeconds:
            return Date(timeIntervalSinceReferenceDate: try decoder.readDouble())
        case CBORTag.epochSeconds:
            return Date(timeIntervalSinceReferenceDate: try epochSeconds(&decoder) - Date.epoch)
        default: throw .otherShape
        }
    }

    private static func epochSeconds(_ decoder: inout NodeDecoder) throws(NodeReadFailure) -> Double {
        guard try decoder.isAtFloat() else {
            guard let seconds = Double(exactly: try decoder.readInteger(Int64.self)) else { throw .otherShape }
            return seconds
        }
        return try decoder.readDouble()
    }
}
