import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file calls of a process in order, as ``FaultLibrary`` recorded them, and the files that a power loss may leave.
///
/// The model is the worst that a journaling file system may do. Any write to a file since its last sync may be lost,
/// torn or kept, in any order. Names are made, changed and removed in order, up to some moment after the last sync of
/// any file.
struct DiskTrace {
    enum Event {
        case write(String, at: Int, [UInt8])
        case truncate(String, to: Int)
        case sync(String)
        case rename(String, to: String)
        case unlink(String)
        /// A mark that the process printed.
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
        /// What was told the disk since, with its place among all events.
        var pending: [(index: Int, event: Event)] = []

        /// The bytes after those of the pending events that `kept` returns, as it returns them.
        func content(_ kept: (Int, Event) -> Event?) -> [UInt8] {
            var bytes = synced
            for (index, event) in pending {
                if let event = kept(index, event) { File.apply(event, to: &bytes) }
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

    private static let sector = 512

    /// The indices of writes of more than a sector, each with the index of the next sync of its file.
    ///
    /// If there is no such sync, that is the number of all events.
    var largeWrites: [(index: Int, end: Int)] {
        events.indices.compactMap { index in
            guard case .write(let path, _, let content) = events[index], content.count > DiskTrace.sector else {
                return nil
            }
            let end = events[index...].firstIndex { if case .sync(path) = $0 { true } else { false } }
            return (index, end ?? events.count)
        }
    }

    /// The files below `directory` after a power loss that follows the first `count` events, by their paths in it.
    ///
    /// All writes are kept, except that the one at `index` has only the first half of its sectors, or all but the last.
    func remains(of directory: String, after count: Int, tearing index: Int, inHalf: Bool) -> [String: [UInt8]] {
        remains(of: directory, after: count, names: { $0 }) { place, event in
            guard place == index, case .write(_, _, let content) = event else { return event }
            let sectors = (content.count - 1) / DiskTrace.sector
            return DiskTrace.torn(event, after: inHalf ? sectors / 2 : sectors)
        }
    }

    /// The files below `directory` after a power loss that follows the first `count` events, by their paths in it.
    func remains(of directory: String, after count: Int, using generator: inout SeededGenerator) -> [String: [UInt8]] {
        // Sometimes nothing is lost, sometimes everything, mostly some.
        let chance = [0, 20, 50, 80, 100].randomElement(using: &generator) ?? 50
        let names = generator.next()
        return remains(of: directory, after: count, names: { Int(names % UInt64($0 + 1)) }) { _, event in
            guard Int.random(in: 0..<100, using: &generator) < chance else { return nil }
            guard case .write(_, _, let content) = event, content.count > DiskTrace.sector,
                Int.random(in: 0..<8, using: &generator) == 0
            else { return event }
            return DiskTrace.torn(
                event, after: Int.random(in: 0...(content.count / DiskTrace.sector), using: &generator))
        }
    }

    /// The write `event`, cut to its first `sectors` sectors.
    private static func torn(_ event: Event, after sectors: Int) -> Event {
        guard case .write(let path, let place, let content) = event else { return event }
        return .write(path, at: place, Array(content.prefix(sectors * sector)))
    }

    private func remains(
        of directory: String, after count: Int, names kept: (Int) -> Int, _ fate: (Int, Event) -> Event?
    ) -> [String: [UInt8]] {
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
        for (index, event) in events.prefix(count).enumerated() {
            switch event {
            case .write(let path, _, _), .truncate(let path, _): files[file(path)].pending.append((index, event))
            case .sync(let path):
                if let index = names[path] {
                    for (_, event) in files[index].pending { File.apply(event, to: &files[index].synced) }
                    files[index].pending = []
                }
                (syncedNames, changes) = (names, [])
            case .rename(let old, let new): rename { if let index = $0.removeValue(forKey: old) { $0[new] = index } }
            case .unlink(let path): rename { $0[path] = nil }
            case .mark: break
            }
        }
        for change in changes.prefix(kept(changes.count)) { change(&syncedNames) }
        var remains: [String: [UInt8]] = [:]
        for (path, index) in syncedNames.sorted(by: { $0.key < $1.key }) where path.hasPrefix(directory + "/") {
            remains[String(path.dropFirst(directory.count + 1))] = files[index].content(fate)
        }
        return remains
    }
}
