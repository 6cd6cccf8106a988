/// The frames of a ``LogStore``'s file: four bytes of length, eight of checksum, and the changes of one commit.
enum LogFrame {
    private static let head = 12

    /// The frame of `changes`.
    static func bytes(_ changes: [ReferenceChange]) -> [UInt8] {
        var payload: [UInt8] = []
        for change in changes {
            payload.append(change.value == nil ? 0 : 1)
            payload += number(change.key.count, 4) + change.key
            if let value = change.value { payload += number(value.count, 4) + value }
        }
        return number(payload.count, 4) + number(Int(truncatingIfNeeded: checksum(payload[...])), 8) + payload
    }

    /// How many bytes a frame of `content` has.
    static func size(of content: ReferenceContent) -> Int {
        content.reduce(head) { $0 + 9 + $1.key.count + $1.value.count }
    }

    /// The content that the whole frames at the beginning of `bytes` lead to, and where they end.
    static func replay(_ bytes: [UInt8], trusting: Bool) -> (content: ReferenceContent, end: Int) {
        var content: ReferenceContent = [:]
        var start = 0
        while bytes.count - start >= head {
            let count = Int(number(bytes[start..<(start + 4)]))
            guard count > 0, count <= bytes.count - start - head else { break }
            let payload = bytes[(start + head)..<(start + head + count)]
            let sum = number(bytes[(start + 4)..<(start + head)])
            guard trusting || sum == checksum(payload), let changes = changes(payload) else { break }
            for change in changes { content[change.key] = change.value.map { ReferenceBytes($0) } }
            start += head + count
        }
        return (content, start)
    }

    private static func changes(_ payload: ArraySlice<UInt8>) -> [ReferenceChange]? {
        var rest = payload
        func part() -> [UInt8]? {
            guard rest.count >= 4 else { return nil }
            let count = Int(number(rest.prefix(4)))
            rest = rest.dropFirst(4)
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        var changes: [ReferenceChange] = []
        while let kind = rest.popFirst() {
            guard kind < 2, let key = part() else { return nil }
            guard kind == 1 else {
                changes.append((key, nil))
                continue
            }
            guard let value = part() else { return nil }
            changes.append((key, value))
        }
        return changes
    }

    /// FNV-1a, which is enough to tell a torn frame from a whole one.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
