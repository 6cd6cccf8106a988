#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A library that is loaded before the system's and lets a process die, or its calls fail, at the *n*-th call that
/// writes; compiled when it is needed.
struct FaultLibrary: Sendable {
    /// The compiler, where there is one and libraries can be preloaded.
    static let compiler: String? = {
        #if os(Linux)
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            let folders = path.split(separator: ":").map(String.init)
            return ["cc", "clang", "gcc"].lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        #else
            return nil
        #endif
    }()

    /// Whether the library can be made here.
    static var isPossible: Bool { compiler != nil }
}
