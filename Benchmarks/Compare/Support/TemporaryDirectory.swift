#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A directory of this process's own, removed with its owner, and when the process is interrupted.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// Makes a directory in `parent`, or where the system keeps temporary files.
    package init(in parent: String? = nil) throws(ToolError) {
        let base = parent ?? FileManager.default.temporaryDirectory.path
        guard FilePlace(base) == .directory else {
            throw .input("there is no directory \(base) for temporary stores; make it, or name another")
        }
        path = "\(base)/grove-\(UUID().uuidString.prefix(8).lowercased())"
        Cleanup.register(path)
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            Cleanup.forget(path)
            throw .failed("no temporary directory can be made in \(base); check its permissions and space")
        }
    }

    /// A new directory inside.
    package func make(_ name: String) throws(ToolError) -> String {
        let inner = "\(path)/\(name)"
        do {
            try FileManager.default.createDirectory(
                atPath: inner, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .failed("the directory \(inner) cannot be made; check the space")
        }
        return inner
    }

    deinit { Cleanup.remove(path) }
}
