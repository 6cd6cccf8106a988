import Grove
import GroveCache
import GroveCoding
import Testing

/// What holds at rest, and after each turn of the main actor.
extension AnswerProgram {
    /// A screen shows nothing older than an edit by its manager once all was at rest, and nothing of before a wipe of
    /// which its manager knows.
    func checkTurn() {
        for provider in messages where !provider.isMissing {
            guard let shown = provider.data else { continue }
            checkTurn(shown.text, "Message:\(shown.id)", by: provider.dataModelManager)
            checkTurn(shown.sender.name, "Person:\(shown.sender.id)", by: provider.dataModelManager)
        }
        for provider in people where !provider.isMissing {
            guard let shown = provider.data else { continue }
            checkTurn(shown.name, "Person:\(shown.id)", by: provider.dataModelManager)
        }
        for (list, manager) in zip(lists, managers) where !list.isMissing {
            for shown in list.data { checkTurn(shown.name, "Person:\(shown.id)", by: manager) }
        }
    }

    private func checkTurn(_ version: String, _ name: String, by manager: DataModelManager) {
        let (who, at) = (number(manager), AnswerModel.step(of: version))
        #expect(at > learnedWipes[who], "\(name) is \(version), of before a wipe, at \(step); \(story)")
        guard at > model.lastWipe, model.isCertain(name), let edited = learned[who][name] else { return }
        #expect(at >= edited, "\(name) is \(version) at \(step), which undoes \(edited); \(story)")
    }

    func check() throws {
        for provider in messages {
            // Who has asked for something sees it as soon as anybody has it.
            if let name = wanted[ObjectIdentifier(provider)], try scene.message(named: name) != nil {
                #expect(provider.data != nil, "asked for \(name), \(provider.state); \(story)")
            }
            guard let shown = provider.data else { continue }
            check(shown.text, "Message:\(shown.id)", "shown", provider.state)
            check(shown.sender.name, "Person:\(shown.sender.id)", "shown, a sender", provider.state)
            let cached = try scene.message(shown.id)
            if let cached { #expect(cached == shown, story) }
            if cached == nil, model.isEdit(shown.text), !provider.isMissing {
                try checkSaved(
                    [("Message:\(shown.id)", shown.text), ("Person:\(shown.sender.id)", shown.sender.name)],
                    as: Message.self)
            }
        }
        for provider in people {
            if let name = wanted[ObjectIdentifier(provider)], try scene.person(named: name) != nil {
                #expect(provider.data != nil, "asked for \(name), \(provider.state); \(story)")
            }
            guard let shown = provider.data else { continue }
            check(shown.name, "Person:\(shown.id)", "shown", provider.state)
            let cached = try scene.person(shown.id)
            if let cached { #expect(cached == shown, story) }
            if cached == nil, model.isEdit(shown.name), !provider.isMissing {
                try checkSaved([("Person:\(shown.id)", shown.name)], as: Person.self)
            }
        }
        try checkAges()
        try checkRows()
        for list in lists {
            for shown in list.data {
                check(shown.name, "Person:\(shown.id)", "shown", list.state)
                if let cached = try scene.person(shown.id) { #expect(cached == shown, story) }
            }
        }
        for id in 0..<3 {
            let cached = try scene.person("\(id)")
            if let cached { check(cached.name, "Person:\(id)") }
            if model.mustBeThere("Person:\(id)") { #expect(cached != nil, story) }
        }
        for id in 0..<2 {
            if let cached = try scene.message("\(id)") { check(cached.text, "Message:\(id)") }
        }
    }

    /// Screens show the cache's list; who was put in is there once, and who was taken out is not.
    private func checkRows() throws {
        guard scene.hasAllPeople else { return }
        let stored = scene.people().map(\.id)
        // A list without a key is in memory alone: a page that was asked for before the cache had no list goes there.
        for list in lists where list.cacheKey == "people" && list.count > 0 && !list.isMissing {
            #expect(list.data.map(\.id) == stored, "\(list.state); \(story)")
        }
        for id in Set(stored.filter { $0.hasPrefix("r") }).union(model.rows.keys).sorted() {
            let count = stored.count { $0 == id }
            if let wrong = model.wrong(row: id, count: count) { #expect(Bool(false), "\(wrong); \(story)") }
        }
    }

    /// An edit that is shown is saved, unless the cache has refused an answer that holds it, or a later edit.
    private func checkSaved<T: CacheableModel>(_ shown: [(name: String, version: String)], as type: T.Type) throws {
        guard shown.allSatisfy(model.mustBeSaved), let miss = try scene.miss(shown[0].name, as: type) else { return }
        // A child that is there, and of which the cache cannot tell whether a deletion that it has forgotten came
        // between.
        let hasChild = try miss.reason == .absent && scene.person(named: miss.identifier.rawValue) != nil
        if hasChild, miss.identifier.rawValue != shown[0].name { return }
        let what = shown.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
        #expect(Bool(false), "\(what) is edited and not saved: \(miss); \(story)")
    }

    /// What no answer brought was never confirmed.
    private func checkAges() throws {
        for id in 0..<3 where model.isUnconfirmed("Person:\(id)") {
            #expect(
                try scene.isConfirmed("Person:\(id)", as: Person.self) == false, "Person:\(id) is confirmed; \(story)")
        }
        for id in 0..<2 where model.isUnconfirmed("Message:\(id)") {
            #expect(
                try scene.isConfirmed("Message:\(id)", as: Message.self) == false,
                "Message:\(id) is confirmed; \(story)")
        }
    }

    /// What a provider says is not whole may be older: the cache has something newer, and lacks a part of it.
    private func check(
        _ version: String, _ name: String, _ place: String = "in the cache", _ state: ProviderState = .fresh
    ) {
        var isWhole = true
        if case .missing = state { isWhole = false }
        if let wrong = model.wrong(version, name, isWhole: isWhole) {
            #expect(Bool(false), "\(wrong) (\(place)); \(story)")
        }
    }
}

extension CollectionDataProvider {
    fileprivate var isMissing: Bool {
        if case .missing = state { true } else { false }
    }
}

extension DataProvider {
    /// Whether the state says that something is missing.
    fileprivate var isMissing: Bool {
        if case .missing = state { true } else { false }
    }
}

extension FollowingScene {
    fileprivate func person(named name: String) throws -> Person? {
        try person(String(name.dropFirst("Person:".count)))
    }

    fileprivate func message(named name: String) throws -> Message? {
        try message(String(name.dropFirst("Message:".count)))
    }
}
