import GRDB

/// A person, as GRDB's documentation has records.
struct PersonRow: Codable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "person"

    var id: Int
    var name: String
    var email: String
    var about: String
    var online: Bool
    var followers: Int
}

extension PersonRow {
    init(_ person: Person) {
        self.init(
            id: person.id, name: person.name, email: person.email, about: person.about, online: person.online,
            followers: person.followers)
    }
}
