package import GroveModel

extension Array where Element == UInt8 {
    /// `withUnsafeBytes` for a body that throws ``CacheError``.
    package func withUnsafeBytesTyped<Value>(
        _ body: (UnsafeRawBufferPointer) throws(CacheError) -> Value
    ) throws(CacheError) -> Value {
        let outcome: Result<Value, CacheError> = unsafe withUnsafeBytes { bytes in
            do throws(CacheError) {
                return .success(try unsafe body(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
