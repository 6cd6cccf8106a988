import Grove
import GroveCache
import Testing
import TestSupport

/// What is done to a cache that managers follow.
enum FollowedVerb: String, CaseIterable { case write, delete, collectionEdit, evict, wipe }

/// Who does it.
enum FollowedWriter: CaseIterable {
    case typedCall, transaction, provider, otherManager, otherProcess

    /// Whether there is such a call: a transaction cannot empty the cache that it is part of.
    func can(_ verb: FollowedVerb) -> Bool { !(self == .transaction && verb == .wipe) }

    /// Whether nothing but room makes it forget a model: it has no call for that.
    var evictsByBudget: Bool { self == .provider || self == .otherManager }
}

extension Scene {
    private var ann: Person { Person(id: "1", name: "Ann") }
    private var cid: Person { Person(id: "3", name: "Cid") }
    private var again: Message { Message(id: "1", text: "again", sender: Person(id: "1", name: "Anna")) }

    /// Stores Ann's message, and the list of her and Bob.
    func begin() throws {
        try cache.write(Message(id: "1", text: "hello", sender: ann))
        try cache.writeCollection([ann, Person(id: "2", name: "Bob")], as: "people")
    }

    func change(_ verb: FollowedVerb, by writer: FollowedWriter, _ peer: PeerConversation?) async throws {
        switch writer {
        case .typedCall: try call(verb)
        case .transaction: try callInTransaction(verb)
        case .provider: try await call(verb, manager)
        case .otherManager: try await call(verb, other)
        case .otherProcess: try #require(try peer?.ask(verb.rawValue) == "done")
        }
    }

    private func call(_ verb: FollowedVerb) throws {
        if verb == .wipe { try cache.wipe() } else { try call(verb, cache) }
    }

    private func callInTransaction(_ verb: FollowedVerb) throws { try cache.write { tx in try call(verb, tx) } }

    private func call<Target: CacheWriter & ~Copyable>(_ verb: FollowedVerb, _ target: borrowing Target) throws {
        switch verb {
        case .write:
            try target.write(again)
            try target.write(cid)
        case .delete: try target.delete("Person:1")
        case .collectionEdit: try target.insert([cid], at: 0, inCollection: "people")
        case .evict: try target.evict("Person:1")
        case .wipe: break
        }
    }

    private func call(_ verb: FollowedVerb, _ manager: DataModelManager) async throws {
        let person = DataProvider<Person>(dataModelManager: manager)
        switch verb {
        case .write:
            DataProvider<Message>(dataModelManager: manager).setData(again)
            person.setData(cid)
        case .delete: manager.deleteModel(ann)
        case .collectionEdit:
            let list = CollectionDataProvider<Person>(dataModelManager: manager)
            _ = try await list.fetchDataFromCache(withCacheKey: "people")
            list.insert([cid], at: 0)
        case .evict:
            // What is read goes before what was read as often, long ago.
            for batch in 10..<30 {
                let numbers = batch * 10..<batch * 10 + 10
                for number in numbers { person.setData(Person(id: "\(number)")) }
                try await store()
                for number in [numbers, numbers, numbers, numbers].joined() { _ = try self.person("\(number)") }
            }
        case .wipe: try await manager.wipe()
        }
    }
}
