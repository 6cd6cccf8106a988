/// An edit of a list, described by elements: the cache that applies it finds them in the list as it is by then.
///
/// An element that was removed meanwhile stays removed: moving or replacing it does nothing.
package enum ListEdit: Sendable {
    /// Replaces the list by these elements.
    ///
    /// An answer of the network is as old as its request: edits made since are applied to it again.
    case set([any SimpleModel])

    /// Replaces the first rows of the list by these, which the network brought as its first page.
    ///
    /// The rows that follow are kept if one of the first rows that were there is among the new ones. Otherwise they are
    /// dropped, because unknown rows may lie between.
    case refresh([any SimpleModel])

    /// Puts the rows that the network brought for a place there, in their order; the list's other rows stay.
    ///
    /// Rows that the list has already are moved there. At ``ListPlace/first`` and ``ListPlace/last`` they are the first
    /// or last rows of the list, which is made if there is none. Rows that were there and are not among them go. If
    /// none of as many rows at that end is among them, all others go, because unknown rows may lie between. With
    /// another ``PageFit`` they stay behind a gap.
    ///
    /// A page is as old as its request: rows that were put in, moved or removed since stay as they are.
    case page([any SimpleModel], ListPlace, PageFit = .dropping)

    /// Replaces the list by these elements, which the cache refused before; stores none of the models with an
    /// identifier.
    case restore([any SimpleModel])

    /// Puts back the former elements: all of them if the cache has no list, or the part that it has lost.
    ///
    /// Otherwise nothing happens. Elements that others have put into the rest of the list stay.
    case fill([any SimpleModel])

    /// Inserts elements.
    case insert([any SimpleModel], ListPlace)

    /// Inserts those elements whose identifiers the list does not have; the others stay where they are.
    case upsert([any SimpleModel], ListPlace)

    /// Replaces an element by another, or removes it.
    case replace(ListElement, with: (any SimpleModel)?)

    /// Moves an element to another place.
    case move(ListElement, ListPlace)

    /// The models that the edit brings.
    package var models: [any SimpleModel] {
        switch self {
        case .set(let models), .refresh(let models), .restore(let models), .fill(let models), .insert(let models, _),
            .upsert(let models, _), .page(let models, _, _):
            models
        case .replace(_, let model): [model].compactMap(\.self)
        case .move: []
        }
    }
}

/// The meaning of a page of a list for the rows that it does not reach.
///
/// A page reaches a part of the list if its last row is in that part, and at least half of the rows before it there are
/// the page's too. On the way back it is the page's first row. Then the page joins that part, and the rows that the
/// list has between go: the server has no more of them.
package enum PageFit: Sendable {
    /// They go if the page is at an end, and are right beside the page otherwise.
    case dropping
    /// They stay. If the page does not reach the nearest of them, there is a gap of unknown length between. No rows
    /// beside a row say that the list ends there: those beyond go.
    case joining
    /// The same on both sides: the page lies at a place, and is not known to be beside it.
    case apart
}

/// A place in a list, between its elements.
///
/// If the element is gone, the place is behind the nearest element before it that is still there, or else before the
/// nearest one after it. If there is neither, it is the end of the list that it was nearer to.
package enum ListPlace: Sendable {
    /// Before the element that is first when the edit is applied.
    case first
    /// Behind the element that is last when the edit is applied.
    case last
    /// Right before an element.
    case before(ListElement)
    /// Right behind an element.
    case after(ListElement)
}

/// An element of a list as an editor saw it.
///
/// If several elements are equal, the one nearest to its position is meant.
package struct ListElement: Sendable {
    /// The element.
    package let model: any SimpleModel
    /// Its index.
    package let index: Int
    /// The list that the editor saw.
    package let list: any SeenList
    /// Its position in the cache's list, deleted elements counted, as far as the editor knows.
    package let position: Int

    /// Names an element.
    ///
    /// - Parameter position: `index` by default.
    package init(_ model: any SimpleModel, at index: Int, of list: any SeenList, position: Int? = nil) {
        self.model = model
        self.index = index
        self.list = list
        self.position = position ?? index
    }
}

/// A list as an editor saw it; it does not change.
package protocol SeenList: Sendable {
    /// The number of its elements.
    var count: Int { get }

    /// The identifier of an element; `nil` if it has none.
    func identifier(at index: Int) -> ModelIdentifier?
}

/// The change that a commit made to a cached list.
package struct ListChange: Sendable {
    /// The list's cache key.
    package let name: ModelIdentifier
    /// The elements that came and went, to be applied in this order; `nil` if they are not told, so that the list is to
    /// be read again.
    package let splices: [ListSplice]?
    /// Whether there is one splice, which is the whole list.
    package let isWhole: Bool

    /// Makes a change.
    package init(_ name: ModelIdentifier, _ splices: [ListSplice]?, isWhole: Bool = false) {
        self.name = name
        self.splices = splices
        self.isWhole = isWhole
    }
}

/// Elements that came or went at one place of a list.
package struct ListSplice: Sendable, Equatable {
    /// The positions of the removed elements in the former list, deleted elements counted.
    package let range: Range<Int>
    /// The elements that are there instead.
    package let elements: [ModelIdentifier]

    /// Makes a splice.
    package init(_ range: Range<Int>, _ elements: [ModelIdentifier]) {
        self.range = range
        self.elements = elements
    }
}

/// A list as a follower of a cache read it.
package struct ListRead<Element: Sendable>: Sendable {
    /// The elements that are not left out, in order.
    package let elements: [Element]
    /// The elements that are left out because they were deleted or are missing.
    package let hidden: [HiddenElement]
    /// The commit as of which it was read; `nil` if queued calls show in it.
    package let commit: CommitNumber?
    /// The ticket of the follower's last edit that is in it.
    package let ticket: EditTicket

    /// Makes a list.
    package init(elements: [Element], hidden: [HiddenElement], commit: CommitNumber?, ticket: EditTicket) {
        self.elements = elements
        self.hidden = hidden
        self.commit = commit
        self.ticket = ticket
    }
}

/// An element that a list has and that is not shown.
package struct HiddenElement: Sendable, Equatable {
    /// Its position, all elements counted.
    package let position: Int
    /// Its identifier; `nil` if it has none.
    package let identifier: ModelIdentifier?
    /// The deleted model that it needs, if it is shown again once that model is written; otherwise `nil`.
    package let awaits: ModelIdentifier?

    /// Makes a hidden element.
    package init(_ position: Int, _ identifier: ModelIdentifier?, awaits missing: ModelIdentifier? = nil) {
        self.position = position
        self.identifier = identifier
        awaits = missing
    }
}
