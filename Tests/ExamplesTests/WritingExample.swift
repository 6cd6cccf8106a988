// The code of Docs/Guides/Writing.md, between rules; a test holds the two together.
// -----
import Grove
import GroveMacros
import GroveSQLite

@Cacheable
struct Todo {
    let id: Int
    var title: String
    var isDone: Bool
}

/// A service, off the main actor, which does not know the backend.
struct TodoService: Sendable {
    let cache: any Cache

    /// What the server pushes: shown by every screen that holds it.
    func received(_ todos: [Todo], asOf asked: Place) async throws {
        try await cache.write(contentsOf: todos, asOf: asked)
    }
    /// A change to what is stored by then.
    func finish(_ id: Int) async throws {
        try await cache.update(Todo.self, id: id) { $0.isDone = true }
    }
}

/// A screen.
@MainActor
final class TodoScreen {
    let todos: CollectionDataProvider<Todo>
    private let manager: DataModelManager

    init(_ manager: DataModelManager) {
        self.manager = manager
        todos = CollectionDataProvider(dataModelManager: manager)
    }
    func add(_ todo: Todo) { todos.append([todo]) }
    func finish(_ id: Int) async throws {
        try await manager.update(Todo.self, id: id) { $0.isDone = true }
    }
}
// -----
/// Deletes a todo; what this returns undoes it.
func delete(_ id: Int, _ cache: any Cache) async throws -> (@Sendable () async throws -> Void)? {
    guard let todo = try cache.model(Todo.self, id: id) else { return nil }
    try await cache.delete(Todo.self, id: id)
    return { try await cache.restore(todo) }
}
// -----
