import TestSupport
import Testing

/// What the compiler says of calls that are easy to write wrong.
@Suite("Forms of calls", .enabled(if: SwiftCompiler.modules != nil, "needs the built modules beside the tests"))
struct FormsTests {
    private func check(_ body: String) throws -> (said: [String], succeeds: Bool) {
        let source = DocumentedExamplesTests.application + "}\n" + body
        let (said, succeeds) = try SwiftCompiler.check(source)
        return (said.filter { $0.contains("error:") || $0.contains("warning:") }.map(String.init), succeeds)
    }

    @Test("A transaction of one expression compiles without a warning, in a task too, whatever the backend")
    func single() throws {
        for cache in ["MemoryCache", "any Cache"] {
            let (said, succeeds) = try check(
                """
                func waits(_ cache: \(cache), _ m: Message) throws { try cache.write { tx in try tx.write(m) } }
                func waits2(_ cache: \(cache), _ m: Message) throws { try cache.write { try $0.write(m) } }
                func task(_ cache: \(cache), _ m: Message) async throws {
                    try await cache.write { tx in try tx.write(m) }
                    try await cache.write { try $0.write(m) }
                    try await cache.update(Message.self, id: 34) { $0.isRead = true }
                }
                """)
            #expect(succeeds && said.isEmpty, "\(said)")
        }
    }

    @Test("A write of an array is an error that names the call for it")
    func arrays() throws {
        for effects in ["throws { try", "async throws { try await"] {
            for cache in ["MemoryCache", "any Cache", "borrowing CacheTransaction"] {
                let (said, succeeds) = try check(
                    "func f(_ cache: \(cache), _ a: Message, _ b: Message) \(effects) cache.write([a, b]) }")
                #expect(!succeeds)
                #expect(said.contains { $0.contains("write(contentsOf:") }, "\(said)")
            }
        }
    }

    @Test(
        "A page is read by the call that says whether there is more, and nothing is removed or replaced by its position"
    )
    func refused() throws {
        for cache in ["MemoryCache", "any Cache", "borrowing CacheTransaction"] {
            let (said, succeeds) = try check(
                "func f(_ cache: \(cache)) throws { _ = try cache.collection(\"a\", of: Message.self, in: 0..<9) }")
            #expect(!succeeds && said.contains { $0.contains("readCollection") && $0.contains("nextRange") }, "\(said)")
            for call in [
                "removeElements(in: 0..<1, ofCollection: \"inbox\")",
                "replaceElements(in: 0..<1, ofCollection: \"inbox\", with: [Message]())",
                "moveElement(from: 3, to: 0, inCollection: \"inbox\")",
            ] {
                let (said, succeeds) = try check("func f(_ cache: \(cache)) throws { try cache.\(call) }")
                #expect(!succeeds && said.contains { $0.contains("protection level") }, "\(said)")
            }
        }
    }

    /// The calls that edit a list, for the cache or a transaction that is `cache`.
    private static let edits = [
        "insert([m], at: 3, inCollection: \"inbox\")", "append([m], toCollection: \"inbox\")",
        "insert([m], at: .before(\"Message:1\"), inCollection: \"inbox\")",
        "insert(references: [\"Message:1\"], at: .last, inCollection: \"inbox\")",
        "upsert([m], at: .first, inCollection: \"inbox\")", "upsert([m], inCollection: \"inbox\")",
        "remove(\"Message:1\", fromCollection: \"inbox\")",
        "remove([\"Message:1\", \"Message:2\"], fromCollection: \"inbox\")",
        "remove(Message.self, id: 1, fromCollection: \"inbox\")",
        "move(\"Message:1\", to: .after(\"Message:2\"), inCollection: \"inbox\")",
        "move(Message.self, id: 1, to: .before(Message.self, id: 2), inCollection: \"inbox\")",
        "removeCollection(\"inbox\")", "writeCollection([m], as: \"inbox\")",
    ]

    /// The calls that write models.
    private static let writes = [
        "write(m)", "write(contentsOf: [m])", "update(Message.self, id: 34) { $0.isRead = true }",
        "update(\"Message:34\", as: Message.self, ifMissing: .ignore) { $0.isRead = true }",
        "delete(Message.self, id: 34)", "evict(\"Message:34\")", "restore(m)",
    ]

    /// The calls that find an element.
    private static let finds = [
        "index(of: \"Message:1\", inCollection: \"inbox\")", "contains(\"Message:1\", inCollection: \"inbox\")",
        "index(of: Message.self, id: 1, inCollection: \"inbox\")",
        "contains(Message.self, id: 1, inCollection: \"inbox\")",
    ]

    @Test("Lists and models have the same calls on a cache, in a task, in a transaction, and whatever the backend")
    func sameNames() throws {
        var source = "import Grove\n"
        for (number, cache) in ["MemoryCache", "any Cache", "borrowing CacheTransaction"].enumerated() {
            let calls =
                (Self.edits + Self.writes).map { "    try cache.\($0)\n" }
                + Self.finds.map { "    _ = try cache.\($0)\n" }
            source += "func waits\(number)(_ cache: \(cache), _ m: Message) throws {\n\(calls.joined())}\n"
            guard number < 2 else { continue }
            let tasks = (Self.edits + Self.writes).map { "    try await cache.\($0)\n" }
            source += "func task\(number)(_ cache: \(cache), _ m: Message) async throws {\n\(tasks.joined())}\n"
        }
        // A provider is of one list, and shows an edit at once.
        source += """
            @MainActor
            func provider(_ list: CollectionDataProvider<Message>, _ m: Message, _ row: CollectionRow<Message>.ID) {
                list.append([m])
                list.insert([m], at: 0)
                list.insert([m], at: .before("Message:1"))
                list.upsert([m], at: .first)
                list.upsert([m])
                list.update(m)
                list.update(m, at: 0)
                list.remove("Message:1")
                list.update(m, row: row)
                list.insert([m], before: row)
                list.move(row: row, before: nil)
                list.remove(id: 1)
                list.move(id: 1, to: .after(Message.self, id: 2))
                _ = list.index(ofID: 1)
                _ = list.contains(id: 1)
                list.remove(row: row)
                list.remove(at: 0)
                list.move("Message:1", to: .after("Message:2"))
                _ = list.index(of: "Message:1")
                _ = list.contains("Message:1")
            }
            @MainActor
            func manager(_ manager: DataModelManager, _ m: Message) async throws {
                typealias Messages = CollectionDataProvider<Message>
                try await manager.update(Message.self, id: 34) { $0.isRead = true }
                try await manager.update(Message.self, id: 34, ifMissing: .ignore) { $0.isRead = true }
                try await Messages.append([m], cacheKey: "inbox", dataModelManager: manager)
                try await Messages.insert([m], at: { _ in 0 }, cacheKey: "inbox", dataModelManager: manager)
                try await Messages.update(m, at: { _ in 0 }, cacheKey: "inbox", dataModelManager: manager)
                try await Messages.removeAtIndex({ _ in 0 }, cacheKey: "inbox", dataModelManager: manager)
            }
            func identities(_ changes: ChangeSet) -> Set<Int> { changes.ids(of: Message.self) }

            """
        let (said, succeeds) = try check(source)
        #expect(succeeds && said.isEmpty, "\(said)")
    }
}
