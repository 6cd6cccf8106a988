import Grove
import GroveCache
import TestSupport
import Testing

/// What delegates do to the providers that called them.
@MainActor
@Suite("Re-entrancy of providers")
struct ReentrancyTests {
    typealias People = CollectionDataProvider<Person>

    let cache: HeldCache
    let manager: DataModelManager

    init() throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
    }

    /// A table view that follows the changes alone and may do something when it is told.
    @MainActor
    final class Table: CollectionDataProviderDelegate {
        let people: People
        var rows: [String]
        var told = 0
        var body: (@MainActor (Table) -> Void)?

        init(_ people: People) {
            self.people = people
            rows = people.data.map(\.id)
            people.delegate = self
        }

        func collectionDataProviderHasUpdatedData<T>(
            _ dataProvider: CollectionDataProvider<T>, collectionChanges: CollectionChange, context: (any Sendable)?
        ) {
            told += 1
            apply(collectionChanges)
            body?(self)
        }

        /// The delegate is not told of its own edits, so the caller that makes one changes the rows first.
        func apply(_ changes: CollectionChange) {
            let data = people.data.map(\.id)
            guard case .changes(let list) = changes else {
                rows = data
                return
            }
            for change in list {
                switch change {
                case .delete(let index): rows.remove(at: index)
                case .insert(let index): rows.insert("new", at: index)
                case .update(let index): rows[index] = "new"
                }
            }
            #expect(rows.count == data.count)
            #expect(zip(rows, data).allSatisfy { $0 == "new" || $0 == $1 }, "\(rows) \(data)")
            rows = data
        }
    }

    func tables(_ count: Int) async -> [Table] {
        let providers = (0..<count).map { _ in People(dataModelManager: manager) }
        providers[0].setData((0..<6).map { Person(id: "\($0)") }, cacheKey: "people")
        for provider in providers.dropFirst() {
            provider.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        }
        await manager.flush()
        return providers.map(Table.init)
    }

    @Test("Siblings that edit while others are told agree, and each is told all changes in an order to apply")
    func edits() async {
        let tables = await tables(3)
        for (number, table) in tables.enumerated() {
            table.body = { table in
                guard table.told == 1 else { return }
                table.rows.insert("by \(number)", at: 2)
                table.people.insert([Person(id: "by \(number)")], at: 2)
                table.rows.remove(at: 0)
                table.people.remove(at: 0)
            }
        }
        tables[0].rows.append("last")
        tables[0].people.append([Person(id: "last")])
        manager.updateModel(Person(id: "4", name: "four"))
        manager.deleteModel(Person(id: "5"))
        await manager.flush()
        for table in tables {
            #expect(table.people.data == tables[0].people.data)
            #expect(table.rows == table.people.data.map(\.id))
        }
        #expect(tables[0].people.data.contains { $0.name == "four" })
        #expect(Set(tables[0].people.data.map(\.id)).isSuperset(of: ["by 0", "by 1", "by 2", "last"]))
    }

    @Test("Random edits and pauses from within callbacks: more seeds", arguments: 100..<1_000 as Range<UInt64>)
    func slowRandomEdits(seed: UInt64) async throws { try await randomEdits(seed: seed) }

    @Test(
        "Random edits and pauses from within callbacks leave siblings and cache agreed",
        arguments: 0..<100 as Range<UInt64>)
    func randomEdits(seed: UInt64) async throws {
        let tables = await tables(3)
        var random = SeededGenerator(seed: seed)
        var budget = 40
        var depth = 0
        @MainActor func act(_ table: Table) {
            guard budget > 0, depth < 4 else { return }
            budget -= 1
            depth += 1
            defer { depth -= 1 }
            let count = table.people.count
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                let index = Int.random(in: 0...count, using: &random)
                table.rows.insert("\(budget)", at: index)
                table.people.insert([Person(id: "\(budget)")], at: index)
            case 2 where count > 0:
                let index = Int.random(in: 0..<count, using: &random)
                table.rows.remove(at: index)
                table.people.remove(at: index)
            case 3 where count > 0:
                let index = Int.random(in: 0..<count, using: &random)
                table.people.update(Person(id: table.people[index].id, name: "\(budget)"), at: index)
            case 4: table.people.isPaused.toggle()
            case 5: manager.updateModel(Person(id: "\(Int.random(in: 0..<6, using: &random))", name: "\(budget)"))
            case 6: manager.deleteModel(Person(id: "\(Int.random(in: 0..<6, using: &random))"))
            case 7 where seed % 3 == 0:
                People.append([Person(id: "static \(budget)")], cacheKey: "people", dataModelManager: manager)
            default: break
            }
        }
        for table in tables {
            table.body = { table in
                let other = tables[Int.random(in: 0..<3, using: &random)]
                act(Bool.random(using: &random) ? other : table)
            }
        }
        while budget > 0 {
            let before = budget
            act(tables[Int.random(in: 0..<3, using: &random)])
            if budget % 7 == 0 || budget == before { await manager.flush() }
        }
        for table in tables { table.body = nil }
        for table in tables { table.people.isPaused = false }
        await manager.flush()
        for table in tables {
            #expect(table.people.data == tables[0].people.data, "seed \(seed)")
            #expect(table.rows == table.people.data.map(\.id), "seed \(seed)")
        }
        try await cache.inner.flush()
        #expect(
            try cache.inner.collection("people", of: Person.self) == tables[0].people.data, "seed \(seed)")
    }

    @Test("A batch is told once per update, also where a delegate edits a collection of it meanwhile")
    func batch() async throws {
        let ann = Person(id: "1")
        let (list, screen) = (People(dataModelManager: manager), Screen())
        list.setData([ann], cacheKey: "people")
        let messages = (0..<3).map { _ in DataProvider<Message>(dataModelManager: manager) }
        @MainActor final class Editing: DataProviderDelegate {
            let list: People
            init(_ list: People) { self.list = list }
            func dataProviderHasUpdatedData<T>(_ dataProvider: DataProvider<T>, context: (any Sendable)?) {
                list.append([Person(id: "\(list.count + 1)")])
            }
        }
        let editing = Editing(list)
        let sibling = People(dataModelManager: manager)
        sibling.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        for (number, message) in messages.enumerated() {
            message.setData(Message(id: "\(number)", sender: ann))
            message.delegate = editing
        }
        let batch = BatchDataProviderListener(dataProviders: messages + [sibling], dataModelManager: manager)
        batch.delegate = screen
        manager.updateModel(Person(id: "1", name: "B"))
        await manager.flush()
        #expect(screen.batches.map(\.count) == [4])
        #expect(list.count == 4)
    }

    @Test("A batch that is paused again from within its resuming stays paused as a whole")
    func pauseWithin() async {
        let providers = (0..<3).map { _ in DataProvider<Person>(dataModelManager: manager) }
        for provider in providers { provider.setData(Person(id: "1")) }
        let batch = BatchDataProviderListener(dataProviders: providers, dataModelManager: manager)
        @MainActor final class Pausing: DataProviderDelegate {
            let batch: BatchDataProviderListener
            var told = 0
            init(_ batch: BatchDataProviderListener) { self.batch = batch }
            func dataProviderHasUpdatedData<T>(_ dataProvider: DataProvider<T>, context: (any Sendable)?) {
                told += 1
                batch.isPaused = true
            }
        }
        let pausing = Pausing(batch)
        for provider in providers { provider.delegate = pausing }
        batch.isPaused = true
        manager.updateModel(Person(id: "1", name: "B"))
        await manager.flush()
        batch.isPaused = false
        #expect(batch.isPaused)
        #expect(pausing.told == 1)
        #expect(providers.filter(\.isPaused).count == 3)
    }

    @Test("Providers that are released on another thread end there")
    func releasedElsewhere() async {
        for _ in 0..<50 {
            let provider = DataProvider<Person>(dataModelManager: manager)
            let list = People(dataModelManager: manager)
            provider.setData(Person(id: "1"))
            list.setData([Person(id: "1")], cacheKey: nil)
            let stream = provider.changes()
            await Task.detached { [box = Box(provider, list)] in _ = box }.value
            manager.updateModel(Person(id: "1", name: "x"))
            _ = stream
        }
        await manager.flush()
    }

    /// Carries the last references to another thread.
    final class Box: Sendable {
        let provider: DataProvider<Person>
        let list: People
        init(_ provider: DataProvider<Person>, _ list: People) { (self.provider, self.list) = (provider, list) }
    }
}
