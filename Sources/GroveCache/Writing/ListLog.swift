import GroveCoding
import GroveModel

/// The edits of lists that this process committed lately.
///
/// An answer of the network for a list is put under the edits that were made since it was asked for. There are at most
/// twice ``mostEntries``, and about half of them go if they bring more than ``mostElements``. An answer to an older
/// request undoes removals and moves from before those; elements that were put in since are in the store.
final class ListLog: Sendable {
    struct Entry: Sendable {
        /// The list, as a store's key.
        let key: [UInt8]
        /// The number of the call; of a whole list, of the place that it is as of.
        let number: CallNumber
        /// The edit; `nil` if the whole list was set.
        let operation: ListOperation?
        /// Whether it was a page of the network.
        var isPage = false
    }

    static let mostEntries = 1_024
    static let mostElements = 65_536

    private let entries = Lock<[Entry]>([])

    func append(_ new: [Entry]) {
        guard !new.isEmpty else { return }
        entries.withLock { entries in
            entries += new
            let elements = entries.reduce(0) { $0 + ($1.operation?.elements.count ?? 0) }
            guard entries.count > 2 * ListLog.mostEntries || elements > ListLog.mostElements else { return }
            entries.removeFirst(max(entries.count - ListLog.mostEntries, entries.count / 2))
        }
    }

    func removeAll() { entries.withLock { $0 = [] } }

    /// The edits of the list under `key` by calls after `number` and before `end`, those among `others` included; `nil`
    /// if the whole list was set since.
    func edits(
        of key: [UInt8], after number: CallNumber, before end: CallNumber = .max, and others: [Entry] = []
    ) -> [Entry]? {
        let found = (entries.withLock(\.self) + others).filter { entry in
            entry.number > number && entry.number < end && entry.key == key
        }
        return found.contains { $0.operation == nil } ? nil : found
    }
}

/// The work of a transaction on lists.
struct ListWork {
    /// The log of earlier edits; `nil` if no answer can be as of a place.
    let log: ListLog?
    /// The most elements of a list that are told at once: any number to followers, few to the history, none if there is
    /// neither.
    let mostTold: Int
    /// The entries that the transaction adds to the log.
    private(set) var entries: [ListLog.Entry] = []
    /// The changes that the call under way has made to lists.
    private(set) var changes: [ListChange] = []

    init(_ log: ListLog? = nil, mostTold: Int = 0) {
        self.log = log
        self.mostTold = mostTold
    }

    var isLogged: Bool { log != nil }
    /// Whether changes of lists are told.
    var isTold: Bool { mostTold > 0 }

    /// Begins a call.
    mutating func beginCall() { changes = [] }

    /// Notes an edit by call `number` for answers that were asked for before it; `nil` for a whole list.
    mutating func note(
        _ key: [UInt8], _ operation: ListOperation?, _ number: CallNumber, isPage: Bool = false
    ) {
        guard isLogged else { return }
        entries.append(ListLog.Entry(key: key, number: number, operation: operation, isPage: isPage))
    }

    /// Tells that the list under `key`, a store's key, which had `count` elements, was set to `elements`.
    mutating func tell(_ key: [UInt8], _ count: Int, setTo elements: StoredElements) {
        guard isTold else { return }
        let identifiers = elements.count <= mostTold ? elements.identifiers : nil
        tell(key, identifiers.map { [ListSplice(0..<count, $0)] }, isWhole: true)
    }

    /// Tells the changes of the list under `key`, a store's key; `nil` if it is to be read again.
    mutating func tell(_ key: [UInt8], _ splices: [ListSplice]?, isWhole: Bool = false) {
        guard isTold else { return }
        let name = ModelIdentifier(String(decoding: key.dropFirst(), as: UTF8.self))
        changes.append(ListChange(name, splices, isWhole: isWhole))
    }

    /// An answer with the edits made since number `since`; `nil` if a whole list was set since.
    func answer(_ elements: StoredElements, isPage: Bool, _ key: [UInt8], since: CallNumber?) -> ListAnswer? {
        var answer = ListAnswer(elements: elements, isPage: isPage, since: since)
        guard let since, let log else { return answer }
        guard let edits = log.edits(of: key, after: since, and: entries) else { return nil }
        answer.edits = edits
        return answer
    }

    /// The edits of the list under `key` after `number`, as a page needs them; `nil` if a whole list was set since.
    func since(_ number: CallNumber?, _ key: [UInt8]) -> ListOperation.Since? {
        guard let number, let log else { return ListOperation.Since(number: number) }
        return log.edits(of: key, after: number, and: entries).map { edits in
            ListOperation.Since(
                number: number, names: Set(edits.compactMap(\.operation).flatMap(\.names)),
                hasPages: edits.contains(where: \.isPage))
        }
    }
}
