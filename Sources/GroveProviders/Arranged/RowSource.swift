import GroveModel

/// The list that is arranged.
@MainActor
struct RowSource<Row: ProviderRow> {
    /// Tells the lists apart that a provider shows one after another: their handles are others.
    let list: () -> Int
    let entries: () -> PersistentVector<Entry<Row.Element>>
    /// The row of an element that is at a position.
    let row: (Entry<Row.Element>, Int) -> Row
    let join: (any RowFollower) -> Void
}

/// What is brought up to date after each change of a list.
@MainActor
protocol RowFollower: AnyObject {
    func follow()
}

/// Those that follow a list; held weakly.
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

/// What leads from one state of a list to a later one.
struct ListDifference<T: Sendable> {
    /// Elements that keep their places among the others, in another version, with their positions in the later state.
    var updates: [(old: Entry<T>, new: Entry<T>, position: Int)] = []
    /// The others, to be applied in this order: `start` is right once the splices before it were applied.
    var splices: [(start: Int, removed: [Entry<T>], inserted: [Entry<T>])] = []
    /// How many elements are concerned.
    var count = 0

    /// - Complexity: linear in the leaves, and in the elements of those that the states do not share.
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
