import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
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

    /// Whether `path` is on a file system in memory, as Linux says; false elsewhere.
    static func isInMemory(_ path: String) -> Bool {
        guard let mounts = FileManager.default.contents(atPath: "/proc/self/mounts") else { return false }
        let resolved = resolved(path)
        // Each line is a device, a place, a type and more. The deepest place that holds the path counts, and there the
        // last.
        var (deepest, type) = ("", "")
        for line in String(decoding: mounts, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 2, fields[1].count >= deepest.count else { continue }
            let place = String(fields[1])
            guard place == "/" || resolved == place || resolved.hasPrefix(place + "/") else { continue }
            (deepest, type) = (place, String(fields[2]))
        }
        return type == "tmpfs" || type == "ramfs"
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
