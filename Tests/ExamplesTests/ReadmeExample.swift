// The first code of README.md, between the two rules; a test holds the two together.
// -----
import GroveSQLite
import GroveMacros

@Cacheable
struct Person {
    let id: String
    let name: String
    let isOnline: Bool
}

@Cacheable
struct Message {
    let id: String
    let text: String
    let sender: Person  // a record of its own: a change elsewhere shows here
}

func example(directory: String) throws -> Message? {
    let cache = try SQLiteCache(directory: directory)
    try cache.write(Message(id: "34", text: "Hello", sender: Person(id: "1", name: "Ann", isOnline: false)))
    try cache.write(Person(id: "1", name: "Ann", isOnline: true))  // elsewhere, Ann comes online
    return try cache.model("Message:34")  // and the message shows it: sender.isOnline is true
}
// -----
