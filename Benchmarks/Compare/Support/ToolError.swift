package import GroveModel

/// What the tool tells its user on one line before it exits: what was wrong and what to do.
package struct ToolError: Error, CustomStringConvertible {
    package let description: String
    /// 2 where the call was at fault and nothing was begun, 1 where what was begun failed, 3 where it was done in part.
    package let exitCode: Int32
    /// The code of the cache's error, if it was one.
    package private(set) var code: CacheError.Code?

    /// The call, or a file that it names, was at fault.
    package static func input(_ message: String) -> ToolError { ToolError(description: message, exitCode: 2) }

    /// What was asked for failed.
    package static func failed(_ message: String) -> ToolError { ToolError(description: message, exitCode: 1) }

    /// What was asked for was done as far as the store can be read.
    package static func partly(_ message: String) -> ToolError { ToolError(description: message, exitCode: 3) }

    private init(description: String, exitCode: Int32) {
        self.description = description
        self.exitCode = exitCode
    }

    /// The cache's error while it did `action`.
    package init(_ error: CacheError, _ action: String) {
        self = .failed("\(action): \(error)")
        code = error.code
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
