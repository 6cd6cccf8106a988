import GroveModel

/// The list that is arranged.
@MainActor
struct RowSource<Row: ProviderRow> {
    /// The number of the list: a provider may show several in turn, each with handles of its own.
    let list: () -> Int
    let entries: () -> PersistentVector<Entry<Row.Element>>
    /// The row of an element that is at a position.
    let row: (Entry<Row.Element>, Int) -> Row
    let join: (any RowFollower) -> Void
}

/// A follower of a list, which is brought up to date after each change.
@MainActor
protocol RowFollower: AnyObject {
    func follow()
}

/// The followers of a list, held weakly.
@MainActor
struct RowFollowers {
    private struct Holder {
        weak var follower: (any RowFollower)?
    }

    private var holders: [Holder] = []

    mutating func add(_ follower: any RowFollower) {
        holders.removeAll { $0.follower == nil }
        holders.append(Holder(follower: follower))
    }

    func tell() {
        for holder in holders { holder.follower?.follow() }
    }
}

/// The changes that lead from one state of a list to a later one.
struct ListDifference<T: Sendable> {
    /// The elements that stay in place in another version, with their positions in the later state.
    var updates: [(old: Entry<T>, new: Entry<T>, position: Int)] = []
    /// The other changes, in the order in which they apply: each `start` is valid after the splices before it.
    var splices: [(start: Int, removed: [Entry<T>], inserted: [Entry<T>])] = []
    /// The number of elements that came, left or changed.
    var count = 0

    /// - Complexity: linear in the number of leaves, and in the elements of the leaves that the states do not share.
    init(from old: PersistentVector<Entry<T>>, to new: PersistentVector<Entry<T>>) {
        for part in new.parts(differingFrom: old) {
            let (before, after) = (old.slice(part.old), new.slice(part.new))
            let (head, tail) = before.sharedEnds(with: after)
            let (left, came) = (head..<before.count - tail, head..<after.count - tail)
            for index in after.indices where !came.contains(index) {
                let former = before[index < head ? index : index + before.count - after.count]
                guard former.revision != after[index].revision else { continue }
                updates.append((former, after[index], part.new.lowerBound + index))
            }
            guard !left.isEmpty || !came.isEmpty else { continue }
            splices.append((part.new.lowerBound + head, Array(before[left]), Array(after[came])))
            count += left.count + came.count
        }
        count += updates.count
    }
}
