import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Waiting for engines that go on working after a call has returned, as LevelDB does when it compacts.
enum Settling {
    /// Waits until no file in `directories` has changed its size for a quarter of a second; a minute at most.
    ///
    /// Without files there is nothing to wait for.
    static func wait(for directories: [String]) {
        var last: [String: Int]?
        for _ in 0..<240 {
            let sizes = sizes(in: directories)
            if sizes.isEmpty || sizes == last { return }
            last = sizes
            usleep(250_000)
        }
    }

    /// The size of each file.
    private static func sizes(in directories: [String]) -> [String: Int] {
        var sizes: [String: Int] = [:]
        for directory in directories {
            for name in (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? [] {
                let path = "\(directory)/\(name)"
                sizes[path] = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
            }
        }
        return sizes
    }
}
