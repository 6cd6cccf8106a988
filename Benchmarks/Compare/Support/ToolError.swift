package import GroveModel

/// What the tool tells its user on one line before it exits: what was wrong and what to do.
package struct ToolError: Error, CustomStringConvertible {
    package let description: String
    /// 2 where the call was at fault and nothing was begun, 1 where what was begun failed.
    package let exitCode: Int32

    /// The call, or a file that it names, was at fault.
    package static func input(_ message: String) -> ToolError { ToolError(description: message, exitCode: 2) }

    /// What was asked for failed.
    package static func failed(_ message: String) -> ToolError { ToolError(description: message, exitCode: 1) }

    private init(description: String, exitCode: Int32) {
        self.description = description
        self.exitCode = exitCode
    }

    /// The cache's error while it did `action`.
    package init(_ error: CacheError, _ action: String) {
        self = .failed("\(action): \(error)")
    }
}

extension ToolError {
    /// Runs `body`, saying of the cache's error what was being done.
    package static func wrapping<Value>(
        _ action: String, _ body: () throws(CacheError) -> Value
    ) throws(ToolError) -> Value {
        do throws(CacheError) {
            return try body()
        } catch {
            throw ToolError(error, action)
        }
    }
}
