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

/// What a path leads to.
package enum FilePlace {
    case missing
    case file
    case directory

    package init(_ path: String) {
        var isDirectory = ObjCBoolean()
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            self = .missing
            return
        }
        self = isDirectory.isTrue ? .directory : .file
    }

    /// The path from the root without links of what `path` leads to; `path` itself where it leads nowhere.
    package static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(validatingCString: resolved) ?? path
    }
}

#if canImport(FoundationEssentials)
    private typealias ObjCBoolean = Bool
    extension Bool {
        fileprivate var isTrue: Bool { self }
    }
#else
    private typealias ObjCBoolean = ObjCBool
    extension ObjCBool {
        fileprivate var isTrue: Bool { boolValue }
    }
#endif
