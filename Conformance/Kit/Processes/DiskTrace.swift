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
#elseif canImport(Android)
    import Android
#endif

/// What a process told the disk, in order, as ``FaultLibrary`` recorded it; and what may be left of it when the power goes.
///
/// The model is that of a journaling file system without mercy: of the writes to a file since it was last synced any may
/// be lost, torn or kept, whatever their order; names are made, changed and removed in order, up to some moment after the
/// last sync of anything.
struct DiskTrace {
    enum Event {
        case write(String, at: Int, [UInt8])
        case truncate(String, to: Int)
        case sync(String)
        case rename(String, to: String)
        case unlink(String)
        /// Something that the process said.
        case mark(String)
    }

    let events: [Event]

    /// Reads the trace in the file `path`.
    init(_ path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else { throw CheckFailure("There is no trace.") }
        let bytes = [UInt8](data)
        var events: [Event] = []
        var start = 0
        func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << ($1 * 8) } }
        while bytes.count - start >= 17 {
            let kind = bytes[start]
            let (nameSize, size, place) = (number(start + 1, 4), number(start + 5, 4), number(start + 9, 8))
            let name = start + 17
            guard bytes.count - name >= nameSize + size else { break }
            let path = String(decoding: bytes[name..<(name + nameSize)], as: UTF8.self)
            let content = Array(bytes[(name + nameSize)..<(name + nameSize + size)])
            switch kind {
            case UInt8(ascii: "w"): events.append(.write(path, at: place, content))
            case UInt8(ascii: "t"): events.append(.truncate(path, to: place))
            case UInt8(ascii: "s"): events.append(.sync(path))
            case UInt8(ascii: "r"): events.append(.rename(path, to: String(decoding: content, as: UTF8.self)))
            case UInt8(ascii: "u"): events.append(.unlink(path))
            default: events.append(.mark(path))
            }
            start = name + nameSize + size
        }
        self.events = events
    }

    /// Appends a mark to the trace in the file `path`.
    static func mark(_ text: String, in path: String) {
        let file = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { _ = close(file) }
        let name = Array(text.utf8)
        let head = [UInt8(ascii: "m"), UInt8(truncatingIfNeeded: name.count)] + [UInt8](repeating: 0, count: 15)
        ConformanceWorker.print(String(decoding: head + name, as: UTF8.self), to: file)
    }

    private struct File {
        var synced: [UInt8] = []
        var pending: [Event] = []

        func content(_ chance: Int, using generator: inout SeededGenerator) -> [UInt8] {
            var bytes = synced
            for event in pending where Int.random(in: 0..<100, using: &generator) < chance {
                if case .write(let path, let place, let content) = event, content.count > 512,
                    Int.random(in: 0..<8, using: &generator) == 0
                {
                    let sectors = Int.random(in: 0...(content.count / 512), using: &generator)
                    File.apply(.write(path, at: place, Array(content.prefix(sectors * 512))), to: &bytes)
                } else {
                    File.apply(event, to: &bytes)
                }
            }
            return bytes
        }

        static func apply(_ event: Event, to bytes: inout [UInt8]) {
            switch event {
            case .write(_, let place, let content):
                let end = place + content.count
                if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
                bytes.replaceSubrange(place..<end, with: content)
            case .truncate(_, let size):
                if bytes.count > size { bytes.removeSubrange(size...) }
                if bytes.count < size { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
            default: break
            }
        }
    }

    /// The files below `directory` after the power went when the first `count` events had happened, by their paths in it.
    func remains(of directory: String, after count: Int, using generator: inout SeededGenerator) -> [String: [UInt8]] {
        var files: [File] = []
        var names: [String: Int] = [:]
        var syncedNames: [String: Int] = [:]
        var changes: [(inout [String: Int]) -> Void] = []
        func file(_ path: String) -> Int {
            if let known = names[path] { return known }
            let new = files.count
            files.append(File())
            rename { $0[path] = new }
            return new
        }
        func rename(_ change: @escaping (inout [String: Int]) -> Void) {
            change(&names)
            changes.append(change)
        }
        for event in events.prefix(count) {
            switch event {
            case .write(let path, _, _), .truncate(let path, _): files[file(path)].pending.append(event)
            case .sync(let path):
                if let index = names[path] {
                    for event in files[index].pending { File.apply(event, to: &files[index].synced) }
                    files[index].pending = []
                }
                (syncedNames, changes) = (names, [])
            case .rename(let old, let new): rename { if let index = $0.removeValue(forKey: old) { $0[new] = index } }
            case .unlink(let path): rename { $0[path] = nil }
            case .mark: break
            }
        }
        for change in changes.prefix(Int.random(in: 0...changes.count, using: &generator)) { change(&syncedNames) }
        // Sometimes nothing is lost, sometimes everything, mostly some.
        let chance = [0, 20, 50, 80, 100].randomElement(using: &generator) ?? 50
        var remains: [String: [UInt8]] = [:]
        for (path, index) in syncedNames.sorted(by: { $0.key < $1.key }) where path.hasPrefix(directory + "/") {
            remains[String(path.dropFirst(directory.count + 1))] = files[index].content(chance, using: &generator)
        }
        return remains
    }
}
