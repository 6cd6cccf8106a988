package import GroveCache
import GroveCoding
package import GroveModel

/// The records of a store as it holds them; queued writes do not show.
extension NormalizedCache {
    /// The record of `name`, or `nil` if there is none; queued writes do not show.
    ///
    /// - Throws: ``CacheError`` with code `closed`, `corrupted` or `inputOutput`. A record that is damaged is returned,
    ///   with its damage.
    package func storedRecord(_ kind: StoredRecord.Kind, _ name: String) throws(CacheError) -> StoredRecord? {
        var key = KeyBuffer()
        unsafe ModelIdentifier(name).withUTF8 { unsafe key.set(kind.namespace, $0) }
        return try withStoreView { (view) throws(CacheError) -> StoredRecord? in
            guard let stored = try unsafe view.get(key.bytes) else { return nil }
            let copy = unsafe Array(stored)
            var shapes = ShapeTable()
            return try unsafe copy.withUnsafeBytesTyped { (stored) throws(CacheError) -> StoredRecord in
                if let hash = unsafe RecordHeader.shapeHash(of: stored), let shape = try view.shape(hash) {
                    shapes.add(shape)
                }
                return unsafe StoredRecord(key: key.bytes, stored: stored, shapes: shapes)
            }
        }
    }

    /// Visits the keys and values of `names` as the engine holds them, those that are there; the bytes are valid during
    /// the call only.
    package func visitStoredValues(
        _ kind: StoredRecord.Kind, _ names: [ModelIdentifier],
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) throws(CacheError) {
        var key = KeyBuffer()
        try withStoreView { (view) throws(CacheError) in
            for name in names {
                unsafe name.withUTF8 { unsafe key.set(kind.namespace, $0) }
                guard let stored = try unsafe view.get(key.bytes) else { continue }
                unsafe visit(key.bytes, stored)
            }
        }
    }

    /// Visits the records of one kind in the order of their names' bytes, until `visit` returns false.
    package func forEachStoredRecord(
        _ kind: StoredRecord.Kind, _ visit: (StoredRecord) -> Bool
    ) throws(CacheError) {
        var shapes = ShapeTable()
        if kind == .node {
            try unsafe forEachStoredValue(.shape) { key, value in
                if let header = try? unsafe RecordHeader(value, key: key),
                    let shape = try? unsafe RecordShape(header.body)
                {
                    shapes.add(shape)
                }
                return true
            }
        }
        try unsafe forEachStoredValue(kind) { key, value in
            unsafe visit(StoredRecord(key: key, stored: value, shapes: shapes))
        }
    }

    /// Visits the keys and values of one kind as the engine holds them, until `visit` returns false; the bytes are
    /// valid during the call only.
    package func forEachStoredValue(
        _ kind: StoredRecord.Kind,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(CacheError) {
        var prefix = kind.namespace
        try withStoreView { (view) throws(CacheError) in
            try unsafe withUnsafeBytes(of: &prefix) { (prefix) throws(CacheError) in
                try unsafe view.scan(prefix: prefix) { unsafe visit($0, $1) }
            }
        }
    }
}
