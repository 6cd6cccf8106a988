import GroveCoding
import GroveModel

/// A record to which queued updates are applied, one after the other.
struct FoldedRecord: ~Copyable {
    /// The outcome of the last update that changed something.
    private var last = ByteBuffer(capacity: 256)
    /// The buffer for the outcome of the next update, which is made from the last.
    private var next = ByteBuffer(capacity: 256)

    deinit {
        last.deallocate()
        next.deallocate()
    }

    /// Applies `update` to `stored`, which may be what ``keep()`` returned.
    mutating func apply(
        _ update: inout RecordUpdate, to stored: UnsafeRawBufferPointer?, shapes: ShapeTable
    ) throws(CacheError) -> RecordUpdate.Outcome {
        unsafe try update.apply(to: stored, into: &next, shapes: shapes)
    }

    /// The record that the last ``apply(_:to:shapes:)`` made; its bytes stay until this is called again.
    mutating func keep() -> UnsafeRawBufferPointer {
        swap(&next, &last)
        return unsafe last.bytes
    }

    /// Gives back memory that the next read, as reads go, will not need.
    mutating func letGo() {
        last.removeAll(keeping: ReadState.retainedBytes)
        next.removeAll(keeping: ReadState.retainedBytes)
    }

    /// The bytes of heap that the buffers hold.
    var allocatedByteCount: Int { last.allocatedByteCount + next.allocatedByteCount }
}
