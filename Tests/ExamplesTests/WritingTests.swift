import Grove
import GroveSQLite
import TestSupport
import Testing

@MainActor
@Suite("Docs/Guides/Writing.md")
struct WritingTests {
    @Test("Both doors show the same and keep rows, and undo puts a model back where it was")
    func doors() async throws {
        let directory = try TemporaryDirectory()
        let cache = try SQLiteCache(directory: directory.path)
        defer { cache.close() }
        let manager = DataModelManager(cacheDelegate: cache)
        let (screen, service) = (TodoScreen(manager), TodoService(cache: cache))
        func settle() async throws {
            for _ in 0..<3 {
                await manager.flush()
                try await cache.flush()
            }
        }
        let all = (1...4).map { Todo(id: $0, title: "todo \($0)", isDone: false) }
        screen.todos.setData(Array(all.prefix(3)), cacheKey: "todos")
        screen.add(all[3])
        try await settle()
        let rows = screen.todos.rows.map(\.id)
        try await screen.finish(1)
        try await service.finish(2)
        try await service.received([Todo(id: 3, title: "todo three", isDone: false)], asOf: cache.place())
        try await settle()
        #expect(screen.todos.data.map(\.isDone) == [true, true, false, false])
        #expect(screen.todos.data[2].title == "todo three")
        #expect(screen.todos.rows.map(\.id) == rows)
        #expect(try cache.collection("todos", of: Todo.self) == screen.todos.data)
        let undo = try #require(try await delete(2, cache))
        try await settle()
        #expect(screen.todos.data.map(\.id) == [1, 3, 4])
        try await undo()
        try await settle()
        #expect(screen.todos.data.map(\.id) == [1, 2, 3, 4])
        let none = try await delete(9, cache) == nil
        #expect(none)
        let error = await #expect(throws: CacheError.self) { try await service.finish(9) }
        #expect(error?.miss?.identifier == "Todo:9")
    }
}
