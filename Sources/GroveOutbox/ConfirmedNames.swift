import GroveModel

/// The identifiers that the server gave lately, by the keys of the mutations that had made others up.
///
/// Another process reads them, so that it shows an element under the new one in each turn. There are as many as a process may miss between two turns.
struct ConfirmedNames {
    private static let most = 64
    static let name = "outbox.names"

    /// Key, old and new identifier, each.
    private var lines: [String]

    init(_ bytes: [UInt8]?) {
        lines = String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func encoded() -> [UInt8] { Array(lines.joined(separator: "\n").utf8) }

    mutating func add(_ key: some StringProtocol, _ replacement: (old: ModelIdentifier, new: ModelIdentifier)) {
        let line = "\(key)\t\(replacement.old.rawValue)\t\(replacement.new.rawValue)"
        guard !line.contains("\n") else { return }
        lines = lines.suffix(Self.most - 1) + [line]
    }

    func replacement(of key: String) -> (old: ModelIdentifier, new: ModelIdentifier)? {
        for line in lines.reversed() {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            if parts.count == 3, parts[0] == key {
                return (ModelIdentifier(String(parts[1])), ModelIdentifier(String(parts[2])))
            }
        }
        return nil
    }
}
