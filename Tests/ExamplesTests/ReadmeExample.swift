// The code of README.md, between the two rules; a test holds the two together.
// -----
import GroveLMDB

struct Person: SimpleModel, Codable, Equatable {
    var id: String, name: String, isOnline: Bool
    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
}
struct Message: SimpleModel, Codable, Equatable {
    var id: String, text: String, sender: Person
    var modelIdentifier: ModelIdentifier? { "Message:\(id)" }
}
func example(directory: String) throws -> Message? {
    let cache = try LMDBCache(directory: directory)
    try cache.write(Message(id: "34", text: "Hello", sender: Person(id: "1", name: "Ann", isOnline: false)))
    try cache.write(Person(id: "1", name: "Ann", isOnline: true))  // elsewhere, Ann comes online
    return try cache.model("Message:34")  // and the message shows it: sender.isOnline is true
}
// -----
