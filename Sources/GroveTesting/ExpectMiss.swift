public import GroveModel

/// Checks that `read` is a miss, for any framework of tests: the error that it throws fails the test.
///
/// ```swift
/// try expectMiss(cache.read("Message:34", as: Message.self), .absent, "Person:1")
/// ```
///
/// - Parameters:
///   - reason: the reason of the miss; `nil` for any.
///   - identifier: the node that is missing, which may be below the one that was read; `nil` for any.
/// - Returns: the miss.
/// - Throws: ``UnexpectedRead`` if `read` is a value or another miss.
@discardableResult
public func expectMiss<Value>(
    _ read: CacheRead<Value>, _ reason: CacheMiss.Reason? = nil, _ identifier: ModelIdentifier? = nil
) throws -> CacheMiss {
    guard let miss = read.miss else { throw UnexpectedRead(description: "Expected a miss, got \(read).") }
    if let reason, miss.reason != reason {
        throw UnexpectedRead(description: "Expected a miss with reason \(reason), got \(miss).")
    }
    if let identifier, miss.identifier != identifier {
        throw UnexpectedRead(description: "Expected a miss that names \(identifier), got \(miss).")
    }
    return miss
}

/// The error of a read whose outcome a test did not expect.
public struct UnexpectedRead: Error, CustomStringConvertible {
    /// One sentence: the outcome that was expected, and the outcome of the read.
    public let description: String
}
