import GroveCoding
import GroveModel

/// Records whose names are in a shape.
extension Reconstructor {
    /// The map of the fields whose values are `values`: for a type that reads its map by itself.
    func map(
        of values: UnsafeRawBufferPointer, _ shape: RecordShape, _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> UnsafeRawBufferPointer {
        var out = unsafe ByteBuffer(capacity: values.count + shape.bytes.count)
        defer { out.deallocate() }
        do throws(NodeReadFailure) {
            try unsafe shape.appendMap(of: values, to: &out)
        } catch {
            throw unsafe damage(.corrupted, identifier)
        }
        return unsafe keep(out.bytes)
    }

    /// The record of `identifier`, whose shape, of `hash`, this reader has not met: a lost shape is a miss.
    @inline(never)
    func recordOfNewShape(
        _ hash: UInt64, _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> (RecordHeader, isKept: Bool) {
        let isFound: Bool
        do throws(CacheError) {
            isFound = unsafe try state.pointee.findShape(hash)
        } catch {
            throw unsafe .failed(error.concerning(text(identifier)))
        }
        guard isFound else { throw unsafe .miss(CacheMiss(.absent, text(identifier))) }
        var (header, isKept) = unsafe try fetch(identifier)
        guard unsafe header.findShape(state.pointee.learnt.shapes) else { throw unsafe damage(.corrupted, identifier) }
        return (header, isKept)
    }
}
