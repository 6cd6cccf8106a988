import GroveModel
import Synchronization

/// The known names of the keys of one `CodingKey` type, from coding values of one type.
///
/// It is a shortcut only: each use asks the key for its name, and a name that is not in the table is looked for in the
/// record itself. So a type may ask for its keys in any order, again, or not at all.
final class KeyNames: Sendable {
    /// The address of the newest table, 0 for none: a pointer is not `Sendable`.
    private let current = Atomic<UInt>(0)
    private let versions = Lock(Versions())
    private let isComplete: Atomic<Bool>

    init(isComplete: Bool = false) { self.isComplete = Atomic(isComplete) }

    private struct Versions {
        /// The number of tables so far.
        var count = 0
        /// The addresses of the tables before the newest, which other threads may still read; they are kept so that a
        /// leak checker finds them.
        var earlier: [UInt] = []
    }

    /// The most names of a type; if there are more, they are taken for keys of a dictionary.
    static let most = 128
    private static let longest = 1_024
    /// The most tables that are made, since tables are never freed.
    private static let mostVersions = 12

    /// The names that are known.
    var table: FieldTable {
        // SAFETY: a table is published when it is complete, and is neither changed nor freed.
        let newest = unsafe UnsafePointer<FieldTable>(bitPattern: current.load(ordering: .acquiring))
        return unsafe newest?.pointee ?? FieldTable()
    }

    /// Whether names are still added.
    var learns: Bool { !isComplete.load(ordering: .relaxed) }

    /// Adds `names` to the table that the next value finds.
    func learn(_ names: [String]) {
        versions.withLock { versions in
            guard learns else { return }
            let table = table
            var known = (0..<table.count).map { table.name($0) }
            for name in names where name.utf8.count <= KeyNames.longest {
                if !known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { known.append(name) }
                if known.count > KeyNames.most { break }
            }
            guard known.count > table.count else { return }
            versions.count += 1
            if known.count > KeyNames.most {
                known = []
                versions.count = KeyNames.mostVersions
            }
            if versions.count == KeyNames.mostVersions { isComplete.store(true, ordering: .relaxed) }
            let next = UnsafeMutablePointer<FieldTable>.allocate(capacity: 1)
            unsafe next.initialize(to: FieldTable(names: FieldTable.sorted(known)))
            let before = current.exchange(UInt(bitPattern: next), ordering: .acquiringAndReleasing)
            versions.earlier.append(before)
        }
    }

    private static let all = TypeMap()

    /// The names of the types for which a ``TypeMap`` has no room: none.
    private static let ofOthers = KeyNames(isComplete: true)

    /// The names of `keys` in values of `owner`; they live as long as the process.
    static func of(_ keys: ObjectIdentifier, in owner: ObjectIdentifier) -> Unmanaged<KeyNames> {
        if let found = unsafe all.find(keys, owner) { return unsafe .fromOpaque(found.toOpaque()) }
        _ = all.keep(KeyNames(), keys, owner)
        guard let kept = unsafe all.find(keys, owner) else { return unsafe .passUnretained(ofOthers) }
        return unsafe .fromOpaque(kept.toOpaque())
    }
}
