#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where a command's result goes: standard output, or a file that appears whole or not at all.
enum OutputFile {
    /// Checks that `path` can be written, before long work is done for it.
    static func check(_ path: String?) throws(ToolError) {
        guard let path else { return }
        guard FilePlace(path) != .directory else { throw .input("\(path) is a directory; --output takes a file") }
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FilePlace(parent) == .directory else {
            throw .input("there is no directory \(parent); make it, or check --output")
        }
        guard unsafe access(parent, W_OK) == 0 else {
            throw .input("the directory \(parent) cannot be written to; check its permissions, or --output")
        }
    }

    /// Writes `text` and a line break to `path`, or to standard output where that is `nil`.
    static func write(_ text: [UInt8], to path: String?) throws(ToolError) {
        guard let path else { return try print(text + [0x0A]) }
        let temporary = "\(path).\(getpid()).partial"
        Cleanup.register(temporary)
        defer { Cleanup.remove(temporary) }
        do {
            try Data(text + [0x0A]).write(to: URL(fileURLWithPath: temporary))
        } catch {
            throw .failed("\(path) cannot be written; check the space and the permissions")
        }
        guard unsafe rename(temporary, path) == 0 else {
            throw .failed("\(path) cannot be replaced; check its permissions")
        }
    }

    private static func print(_ text: [UInt8]) throws(ToolError) {
        var written = 0
        while written < text.count {
            let count = unsafe text.withUnsafeBytes { bytes in
                unsafe systemWrite(STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: bytes[written...]))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .failed("standard output cannot be written") }
            written += count
        }
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
