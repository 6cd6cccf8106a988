#if Macros
    import GroveCache
    import GroveMacros
    import GroveMemory
    import Testing

    @Suite("Members that a type declares itself") struct MemberTests {
        @Test("Instance members and methods of other parameters stand beside those of the same name that are written")
        func names() throws {
            let cache = try MemoryCache()
            let chart = Chart(id: 1, recordName: "r", fields: [2], map: 3, owner: Person(id: 1, name: "one"))
            #expect(Chart.recordName == "Plan")
            #expect(Chart.projectionName == "Chart")
            #expect(Chart.fields.count == 5)
            #expect(chart.modelIdentifier == "Plan:1")
            try cache.write(chart)
            #expect(try cache.model("Plan:1", as: Chart.self) == chart)
            #expect((chart.merge(SmallChart(id: 1, recordName: "s")) as? Chart)?.recordName == "s")
            let renamed = chart.map { (_: any Model) -> (any Model)? in Person(id: 1, name: "new") }
            #expect(renamed?.owner.name == "new")
            var children = 0
            chart.forEach { (_: any Model) in children += 1 }
            #expect(children == 1)
            #expect(chart.merge(chart) == chart)
            #expect(chart != Chart(id: 1, recordName: "r", fields: [], map: 3, owner: chart.owner))
            let marks: [Mark] = [.fields(1), .recordName(chart.owner), .map(chart.owner), .merge(chart.owner)]
            for mark in marks { #expect(try Encoded(mark) == Encoded(mark)) }
            #expect(marks[1].modelIdentifier == "Person:1")
            #expect(Mark.recordName == "Mark")
        }

        @Test("Equality ignores a property also where Hashable comes from elsewhere, and so does the hash")
        func equality() {
            func expectIgnored<Value: Hashable>(_ first: Value, _ second: Value, _ other: Value) {
                #expect(first == second)
                #expect(first.hashValue == second.hashValue)
                #expect(Set([first, second]).count == 1)
                #expect(first != other)
            }
            expectIgnored(ByProtocol(id: 1, seen: 1), ByProtocol(id: 1, seen: 2), ByProtocol(id: 2, seen: 1))
            expectIgnored(ByExtension(id: 1, seen: 1), ByExtension(id: 1, seen: 2), ByExtension(id: 2, seen: 1))
            expectIgnored(ByItself(id: 1, seen: 1), ByItself(id: 1, seen: 2), ByItself(id: 2, seen: 1))
            let holder = Unhashed(id: 1, child: ByHand(id: 1), seen: 1)
            #expect(holder == Unhashed(id: 1, child: ByHand(id: 1), seen: 2))
            #expect(holder != Unhashed(id: 1, child: ByHand(id: 2), seen: 1))
        }

        @Test("A class whose properties all have values keeps its initialiser")
        func initializer() throws {
            let cache = try MemoryCache()
            try cache.write(Only())
            #expect(try cache.model("Only:it", as: Only.self) == Only())
        }
    }

    @Cacheable(record: "Plan")
    struct Chart {
        let id: Int
        let recordName: String
        let fields: [Int]
        let map: Int
        let owner: Person

        func merge(_ other: Chart) -> Chart { other }
        func map(_ transform: (Int) -> Int) -> Chart { self }
        func forEach(_ visit: (Int) -> Void) { fields.forEach(visit) }
        func fields(from first: Int) -> [Int] { fields }
        static func recordName(_ id: Int) -> String { "Chart \(id)" }
        static func == (left: Chart, right: Int) -> Bool { left.id == right }
    }

    @Cacheable(record: "Plan")
    struct SmallChart {
        let id: Int
        let recordName: String
    }

    @Cacheable
    enum Mark {
        case fields(Int)
        case recordName(Person)
        case map(Person)
        case merge(Person)
    }

    protocol Listed: Hashable {}

    @Cacheable
    struct ByProtocol: Listed {
        let id: Int
        @EqualityIgnored var seen: Int
    }

    @Cacheable
    struct ByExtension {
        let id: Int
        @EqualityIgnored var seen: Int
    }

    extension ByExtension: Hashable {}

    @Cacheable
    struct ByItself: Hashable {
        let id: Int
        @EqualityIgnored var seen: Int
    }

    /// Not all of it has a hash.
    @Cacheable
    struct Unhashed {
        let id: Int
        let child: ByHand
        @EqualityIgnored var seen: Int
    }

    @Cacheable
    final class Only {
        let id = "it"
    }
#endif
