import GroveCache
import GroveModel

/// One thing that a ``ReferenceStore`` does wrong; the defaults do everything right.
protocol StoreFlaw: Sendable {
    /// The key under which an entry is kept.
    static func key(_ key: [UInt8], in content: ReferenceContent) -> [UInt8]

    /// What is kept under `key` of `value` where `old` was; `nil` if nothing is.
    static func value(_ value: [UInt8], of key: [UInt8], over old: [UInt8]?) -> [UInt8]?

    /// What a put of `value` is made into, before anything else.
    static func put(_ key: [UInt8], _ value: [UInt8]) -> [UInt8]

    /// What is committed of the changes of the transaction of that number.
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange]

    /// The key whose value a look-up of `key` returns.
    static func lookUp(_ key: [UInt8], in content: ReferenceContent) -> [UInt8]

    /// Called before each look-up of a view.
    static func willLook() throws(CacheError)

    /// The keys of a scan, from those in order.
    static func scan(_ keys: [[UInt8]]) -> [[UInt8]]

    /// What is left after a wipe.
    static func wiped(_ content: ReferenceContent) -> ReferenceContent

    /// The payload that the store says fits into a budget.
    static func payload(within bytes: Int) -> Int

    /// The payload that the store says it has.
    static func said(payload: Int) -> Int

    /// After how many changes a transaction commits what it has; `nil` if it is whole.
    static var commitsEvery: Int? { get }

    /// After how many changes a commit that is under way shows; `nil` if it does not.
    static var showsEvery: Int? { get }

    /// Whether a view shows what is committed after it was opened.
    static var hasLiveViews: Bool { get }

    /// Whether a view shows the state before the last commit, if that came while another view was open.
    static var lagsBehind: Bool { get }

    /// Whether a view finds each key once and never again.
    static var givesOnce: Bool { get }

    /// Whether a transaction that throws commits all the same.
    static var commitsAborted: Bool { get }

    /// Whether a transaction does not see its own writes.
    static var isBlind: Bool { get }
}

extension StoreFlaw {
    static func key(_ key: [UInt8], in content: ReferenceContent) -> [UInt8] { key }
    static func value(_ value: [UInt8], of key: [UInt8], over old: [UInt8]?) -> [UInt8]? { value }
    static func put(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] { value }
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] { changes }
    static func lookUp(_ key: [UInt8], in content: ReferenceContent) -> [UInt8] { key }
    static func willLook() throws(CacheError) {}
    static func scan(_ keys: [[UInt8]]) -> [[UInt8]] { keys }
    static func wiped(_ content: ReferenceContent) -> ReferenceContent { [:] }
    static func payload(within bytes: Int) -> Int { bytes }
    static func said(payload: Int) -> Int { payload }
    static var commitsEvery: Int? { nil }
    static var showsEvery: Int? { nil }
    static var hasLiveViews: Bool { false }
    static var lagsBehind: Bool { false }
    static var givesOnce: Bool { false }
    static var commitsAborted: Bool { false }
    static var isBlind: Bool { false }
}

/// Nothing wrong: the correct store of which every mutant is one edit.
enum NoFlaw: StoreFlaw {}

/// All entries of a store.
typealias ReferenceContent = [[UInt8]: ReferenceBytes]

/// One put, or one removal where there is no value.
typealias ReferenceChange = (key: [UInt8], value: [UInt8]?)
