/// An edit of a list, said by its elements: the one who applies it finds them in the list as it is by then.
///
/// What was removed meanwhile stays removed: to move or replace it does nothing.
public enum ListEdit: Sendable {
    /// Makes these the list.
    ///
    /// As an answer of the network it is as old as its request: edits made since are applied again to it.
    case set([any SimpleModel])

    /// Makes these the first rows of the list, as an answer of the network that brings its first page.
    ///
    /// What follows is kept if one of the first rows that were there is among them, and dropped if none is: there may be others between.
    case refresh([any SimpleModel])

    /// Makes these the list, which the cache refused before; none of the models with an identifier is stored.
    case restore([any SimpleModel])

    /// What the list was: if the cache has none it is that, if it has lost a part of it that comes back, else nothing happens.
    ///
    /// What others have put into the rest of it stays.
    case fill([any SimpleModel])

    /// Puts elements in.
    case insert([any SimpleModel], ListPlace)

    /// Puts those elements in whose identifiers the list does not have; the others stay where they are.
    case upsert([any SimpleModel], ListPlace)

    /// Puts an element, or none, in the place of one.
    case replace(ListElement, with: (any SimpleModel)?)

    /// Takes an element to another place.
    case move(ListElement, ListPlace)

    /// The models that the edit brings.
    public var models: [any SimpleModel] {
        switch self {
        case .set(let models), .refresh(let models), .restore(let models), .fill(let models), .insert(let models, _),
            .upsert(let models, _):
            models
        case .replace(_, let model): [model].compactMap(\.self)
        case .move: []
        }
    }
}

/// A place in a list, between its elements.
///
/// If the element is gone, it is behind the nearest one before it that is still there, else before the nearest one after it, else at
/// the end of the list that it was nearer to.
public enum ListPlace: Sendable {
    /// Before the element that is first by then.
    case first
    /// Behind the element that is last by then.
    case last
    /// Right before an element.
    case before(ListElement)
    /// Right behind an element.
    case after(ListElement)
}

/// An element of a list as an editor saw it.
///
/// Of several that are equal the one is meant that is nearest to its position.
public struct ListElement: Sendable {
    /// What it was.
    public let model: any SimpleModel
    /// Where it was.
    public let index: Int
    /// The list that the editor saw.
    public let list: any SeenList
    /// Where it is in the cache's list, deleted elements included, as far as the editor knows.
    public let position: Int

    /// Names an element.
    ///
    /// - Parameter position: its index by default.
    public init(_ model: any SimpleModel, at index: Int, of list: any SeenList, position: Int? = nil) {
        self.model = model
        self.index = index
        self.list = list
        self.position = position ?? index
    }
}

/// A list as an editor saw it; it does not change.
public protocol SeenList: Sendable {
    /// How many elements it has.
    var count: Int { get }

    /// The identifier of an element; `nil` if it has none.
    func identifier(at index: Int) -> ModelIdentifier?
}

/// What a commit did to a list that a cache has.
public struct ListChange: Sendable {
    /// The list's cache key.
    public let name: ModelIdentifier
    /// What came and went, to be applied in this order; `nil` if that is not told, so that the list is to be read again.
    public let splices: [ListSplice]?
    /// Whether the one splice is the whole list.
    public let isWhole: Bool

    /// Makes a change.
    public init(_ name: ModelIdentifier, _ splices: [ListSplice]?, isWhole: Bool = false) {
        self.name = name
        self.splices = splices
        self.isWhole = isWhole
    }
}

/// Elements that came, or went, in one place of a list.
public struct ListSplice: Sendable, Equatable {
    /// The positions of those that went, in the list before, deleted elements included.
    public let range: Range<Int>
    /// What is there instead.
    public let elements: [ModelIdentifier]

    /// Makes a splice.
    public init(_ range: Range<Int>, _ elements: [ModelIdentifier]) {
        self.range = range
        self.elements = elements
    }
}

/// A list as it was read by one who follows a cache.
public struct ListRead<Element: Sendable>: Sendable {
    /// The elements that there are, in order.
    public let elements: [Element]
    /// Those that are left out: they were deleted, or are missing.
    public let hidden: [HiddenElement]
    /// The commit as of which it was read; `nil` if calls that are queued show.
    public let commit: CommitNumber?
    /// The last of the follower's edits that it has.
    public let ticket: UInt64

    /// Makes a list.
    public init(elements: [Element], hidden: [HiddenElement], commit: CommitNumber?, ticket: UInt64) {
        self.elements = elements
        self.hidden = hidden
        self.commit = commit
        self.ticket = ticket
    }
}

/// An element that a list has and that is not shown.
public struct HiddenElement: Sendable, Equatable {
    /// Where it is, all elements counted.
    public let position: Int
    /// What it is; `nil` if it has no identifier.
    public let identifier: ModelIdentifier?
    /// The deleted model that it needs, if it is shown again once that is written; `nil` if it is not.
    public let awaits: ModelIdentifier?

    /// Makes one.
    public init(_ position: Int, _ identifier: ModelIdentifier?, awaits missing: ModelIdentifier? = nil) {
        self.position = position
        self.identifier = identifier
        awaits = missing
    }
}
