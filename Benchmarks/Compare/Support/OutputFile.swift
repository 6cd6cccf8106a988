import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The place of a command's result: standard output, or a file that appears whole or not at all.
///
/// A link is followed. A device, a pipe and the like are written to as they are.
package enum OutputFile {
    /// Checks that `path` can be written, before long work is done for it.
    package static func check(_ path: String?) throws(ToolError) {
        guard let path else { return }
        guard FilePlace(path) != .directory else { throw .input("\(path) is a directory; --output takes a file") }
        guard let file = replaceable(path) else {
            guard unsafe access(path, W_OK) == 0 || errno == ENOENT else {
                throw .input("\(path) cannot be written to; check its permissions, or --output")
            }
            return
        }
        let parent = URL(fileURLWithPath: file).deletingLastPathComponent().path
        guard FilePlace(parent) == .directory else {
            throw .input("there is no directory \(parent); make it, or check --output")
        }
        guard unsafe access(parent, W_OK) == 0 else {
            throw .input("the directory \(parent) cannot be written to; check its permissions, or --output")
        }
    }

    /// Writes `text` and a line break to `path`, or to standard output if that is `nil`.
    package static func write(_ text: [UInt8], to path: String?) throws(ToolError) {
        let text = text + [0x0A]
        guard let path else {
            guard write(text, to: STDOUT_FILENO) else { throw .failed("standard output cannot be written") }
            return
        }
        guard let file = replaceable(path) else { return try write(text, opening: path, path) }
        let temporary = "\(file).\(getpid()).partial"
        Cleanup.register(temporary)
        defer { Cleanup.remove(temporary) }
        try write(text, opening: temporary, path)
        var status = stat()
        if unsafe stat(file, &status) == 0 { _ = unsafe chmod(temporary, status.st_mode & 0o7777) }
        guard unsafe rename(temporary, file) == 0 else {
            throw .failed("\(path) cannot be replaced; check its permissions")
        }
    }

    /// The path of the regular file that `path` leads to, or of none if there is nothing; `nil` if it leads to
    /// something else, or is a link that leads nowhere.
    private static func replaceable(_ path: String) -> String? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return path }
        let file = FilePlace.resolved(path)
        return unsafe lstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? file : nil
    }

    /// - Parameter name: what the file is called in messages.
    private static func write(_ text: [UInt8], opening path: String, _ name: String) throws(ToolError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        let isWritten = descriptor >= 0 && write(text, to: descriptor)
        let isClosed = descriptor >= 0 && close(descriptor) == 0
        guard isWritten, isClosed else {
            throw .failed("\(name) cannot be written; check the space and the permissions")
        }
    }

    private static func write(_ text: [UInt8], to descriptor: Int32) -> Bool {
        var written = 0
        while written < text.count {
            let count = unsafe text.withUnsafeBytes { bytes in
                unsafe systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: bytes[written...]))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Glibc)
            unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            unsafe Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
