import GroveModel

/// The identifiers that the server lately gave in place of those that applications made up.
///
/// They are kept, so that another process knows which element of a confirmed list is the one that it shows as pending.
struct ConfirmedNames {
    /// The most names that are kept: as many as another process may miss between two turns.
    private static let most = 32
    static let name = "outbox.names"

    /// The names, the newest last.
    private var names: [(old: String, new: String)]

    /// The names that are kept as `bytes`: old and new identifiers by turns, each behind its count of bytes, in
    /// decimal, and a space.
    init(_ bytes: [UInt8]?) {
        var left = (bytes ?? [])[...]
        var fields: [String] = []
        while let end = left.firstIndex(of: UInt8(ascii: " ")),
            let count = Int(String(decoding: left[..<end], as: UTF8.self)), count >= 0, left[end...].count > count
        {
            fields.append(String(decoding: left[(end + 1)...].prefix(count), as: UTF8.self))
            left = left[(end + 1)...].dropFirst(count)
        }
        names = stride(from: 0, to: fields.count - 1, by: 2).map { (fields[$0], fields[$0 + 1]) }
    }

    func encoded() -> [UInt8] {
        names.flatMap { [$0.old, $0.new] }.flatMap { Array("\($0.utf8.count) \($0)".utf8) }
    }

    mutating func add(_ replacement: (old: ModelIdentifier, new: ModelIdentifier)) {
        names = names.suffix(Self.most - 1) + [(replacement.old.rawValue, replacement.new.rawValue)]
    }

    var replacements: [(old: ModelIdentifier, new: ModelIdentifier)] {
        names.map { (ModelIdentifier($0.old), ModelIdentifier($0.new)) }
    }
}
