/// What is measured of the consistency engine and the providers over it.
package enum ConsistencyWorkload: String, CaseIterable, Sendable {
    case wide1000 = "consistency-wide-1000"
    case wide10000 = "consistency-wide-10000"
    case wide100000 = "consistency-wide-100000"
    case depth = "consistency-depth"
    case shared5 = "consistency-shared-5"
    case shared500 = "consistency-shared-500"
    case distinct = "consistency-distinct"
    case collection100 = "consistency-collection-100"
    case collection10000 = "consistency-collection-10000"
    case collection100000 = "consistency-collection-100000"
    case unchanged1000 = "consistency-unchanged-1000"
    case unchanged100000 = "consistency-unchanged-100000"
    case followAlone = "consistency-follow-alone"
    case followNone = "consistency-follow-none"
    case follow3 = "consistency-follow-3"
    case followAll = "consistency-follow-all"

    /// What is done.
    package var summary: String {
        switch self {
        case .wide1000, .wide10000, .wide100000:
            "one listener on a model with \(size.grouped) children: add; one child changes"
        case .depth: "one listener on a binary tree of depth 10 (1,023 nodes): add; one leaf changes"
        case .shared5: "1,000 listeners on one tree of 5: add; one node changes"
        case .shared500: "200 listeners on one tree of 500: add; one node changes"
        case .distinct: "10,000 listeners on 10,000 trees of 5: add; a node of one tree changes"
        case .collection100, .collection10000, .collection100000:
            "a collection of \(size.grouped): set; one element updated, by its owner or others"
        case .unchanged1000, .unchanged100000:
            "one listener on a model with \(size.grouped) children: add; an equal one posted"
        case .followAlone: "a commit of \(size.grouped) nodes to a cache in memory, without a manager"
        case .followNone: "the same, followed by a manager that holds none of them"
        case .follow3: "the same, by one with three of them held"
        case .followAll: "the same, by one with all of them held in a list"
        }
    }

    /// Children or elements.
    var size: Int {
        switch self {
        case .wide1000, .unchanged1000: 1_000
        case .wide10000, .collection10000, .followAlone, .followNone, .follow3, .followAll: 10_000
        case .wide100000, .collection100000, .unchanged100000: 100_000
        case .depth: 1_023
        case .shared5: 4
        case .shared500: 499
        case .distinct: 4
        case .collection100: 100
        }
    }

    /// Whether it is of a manager that follows a cache.
    var isFollowing: Bool {
        switch self {
        case .followAlone, .followNone, .follow3, .followAll: true
        default: false
        }
    }

    /// How many of the nodes that are committed are held.
    var held: Int {
        switch self {
        case .follow3: 3
        case .followAll: size
        default: 0
        }
    }

    /// How many listeners there are.
    var listeners: Int {
        switch self {
        case .shared5: 1_000
        case .shared500: 200
        case .distinct: 10_000
        default: 1
        }
    }

    /// What ConsistencyManager 8 took, in milliseconds, if that is known: Swift 6.3.1, release, two cores.
    var ancestor: (add: Double?, change: Double?) {
        switch self {
        case .wide1000: (nil, 0.44)
        case .wide10000: (nil, 3.0)
        case .wide100000: (nil, 29)
        case .depth: (nil, 0.5)
        case .shared5: (312, 44)
        case .shared500: (1_187, 37)
        case .distinct: (48, 0.075)
        default: (nil, nil)
        }
    }
}
