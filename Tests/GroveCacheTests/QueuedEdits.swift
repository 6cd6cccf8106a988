import GroveCoding
import GroveModel

/// A list as a follower saw it.
struct SeenPeople: SeenList {
    let people: [Person]

    init(_ people: [Person]) { self.people = people }

    var count: Int { people.count }

    func identifier(at index: Int) -> ModelIdentifier? { people[index].modelIdentifier }

    /// The element at `index`.
    ///
    /// - Parameter position: its position with the deleted elements; `index` by default.
    func element(_ index: Int, at position: Int? = nil) -> ListElement {
        ListElement(people[index], at: index, of: self, position: position)
    }
}

extension FollowedCache {
    /// Queues an edit of the list under `key` as a provider does, and returns.
    func queue(_ edit: ListEdit, _ key: String = "list") {
        self.edit(edit, forKey: key, ticket: .none, asOf: nil, fillsOnly: false, madeAt: nil) { _ in }
    }
}

/// A person whose call is late: something happens after it was made and before it comes to the queue.
struct LatePerson: CacheableModel, Equatable {
    static var recordName: String { Person.recordName }
    static var projectionName: String { Person.projectionName }
    static let fields = Person.fields

    let person: Person
    /// Called while the person is encoded.
    var meanwhile: @Sendable () -> Void = {}

    var modelIdentifier: ModelIdentifier? { person.modelIdentifier }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        meanwhile()
        try person.encodeFields(to: &node)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> LatePerson {
        LatePerson(person: try Person.decodeFields(from: &node))
    }

    static func == (left: LatePerson, right: LatePerson) -> Bool { left.person == right.person }
}
