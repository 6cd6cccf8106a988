import Dispatch
package import GroveModel

/// For inspections and measurements.
extension NormalizedCache {
    /// Runs `body` with a view of the store, in which queued writes do not show.
    ///
    /// - Throws: ``CacheError`` with code `closed`, and what the engine throws.
    package func withStoreView<Value>(
        _ body: (any NodeView) throws(CacheError) -> Value
    ) throws(CacheError) -> Value {
        try checkOpen()
        return try core.withOpenStore { (store) throws(CacheError) in
            let view = try store.view()
            defer { view.end() }
            return try body(view)
        }
    }

    /// Runs `body`, which reads and queues, while the writer rests: queued calls stay queued.
    package func whileWriterRests(_ body: () throws -> Void) rethrows {
        try core.writer.sync(execute: body)
    }
}
