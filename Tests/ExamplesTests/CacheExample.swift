// The example of Docs/Guides/Cache.md, between the two rules; a test holds the two together.
import GroveSQLite

// -----
func together(_ cache: SQLiteCache, _ message: Message) throws -> (inbox: [Message]?, online: [Person]) {
    try cache.write { tx in  // one commit, all or nothing; it sees its own writes
        try tx.write(message)
        try tx.delete(Person.self, id: "7")
        try tx.writeCollection([message], as: "inbox")
    }
    return try cache.read { view in  // one moment
        let online = try view.models(Person.self).filter(\.isOnline)  // all of a type, one after the other
        return (try view.collection("inbox", of: Message.self), online)
    }
}
// -----
/// All messages, a page at a time.
func pages(_ cache: SQLiteCache, _ show: ([Message]) -> Void) throws {
    var range: Range<Int>? = 0..<50
    while let page = range {
        // A part that was evicted is passed over: `read.gaps` says where.
        guard let read = try cache.readCollection("inbox", of: Message.self, in: page, missing: .skip).value else {
            return
        }
        show(read.elements)
        range = read.nextRange
    }
}
// -----
