import Grove
@testable import GroveProviders
import Testing
import TestSupport

/// Requests, and answers that come late and in any order.
extension AnswerProgram {
    /// Sends a request.
    func ask() async {
        let kind = Int.random(in: 0..<4, using: &random)
        if kind < 2 {
            let provider = pick(messages)
            let id = Int.random(in: 0..<2, using: &random)
            let (server, clock) = (modelServers[id], clock)
            let sent = server.sent
            let isNew = Int.random(in: 0..<3, using: &random) > 0
            let who = number(provider.dataModelManager)
            wanted[ObjectIdentifier(provider)] = provider.data == nil ? "Message:\(id)" : nil
            let open = server.open.map(server.tag).filter { askers[$0] == who }.max()
            let asked = managers[who].requests.callCount
            let isOver = Count()
            begin {
                defer { isOver.add() }
                _ = try? await provider.load(withCacheKey: "Message:\(id)", reload: isNew) {
                    try await server.ask(clock.step)
                }
            }
            askers[step] = who
            // What the cache has is read first, which may take its time; and a wipe may end the load before it asks.
            func hasAsked() -> Bool { isNew ? server.sent > sent : managers[who].requests.callCount != asked }
            while !hasAsked(), isOver.value == 0 { await managers[who].flush() }
            if isNew { return }
            let shown = shown("Message:\(id)", to: who)
            for _ in 0..<24 where server.sent == sent { await managers[who].flush() }
            // It has joined the newest request that is open, of which nothing that is shown was edited since, or one is
            // on its way.
            guard server.sent == sent, managers[who].requests.open.keys.allSatisfy({ $0 <= asked }), let open else {
                return
            }
            let edited = edits[who].filter { shown?.contains($0.key) ?? true }.values.max()
            #expect(edited ?? 0 <= open, story)
        } else {
            let list = pick(lists)
            let (server, clock) = (listServer, clock)
            let sent = server.sent
            let isPage = kind == 3 && list.cacheKey != nil
            begin {
                if isPage {
                    _ = try? await list.loadMore { _ in try await server.ask(clock.step) }
                } else {
                    _ = try? await list.load(withCacheKey: "people", reload: true) { try await server.ask(clock.step) }
                }
            }
            // A page may join another.
            for _ in 0..<40 where server.sent == sent { await Task.yield() }
        }
    }

    /// The names of what a manager's screens show under `key`; `nil` if none shows it.
    private func shown(_ key: String, to who: Int) -> Set<String>? {
        for screen in messages where screen.dataModelManager === managers[who] {
            if let shown = screen.data, "Message:\(shown.id)" == key { return [key, "Person:\(shown.sender.id)"] }
        }
        return nil
    }

    func begin(_ body: @escaping @MainActor () async -> Void) { loads.append(Task { await body() }) }

    /// Answers a request that is open, as the server had it when it was sent.
    func answer() async {
        let open =
            modelServers.enumerated().flatMap { id, server in server.open.map { (id, $0) } }
            + listServer.open.map { (2, $0) }
        guard !open.isEmpty else { return }
        let (kind, number) = pick(open)
        answer(kind, number)
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            await Task.yield()
            checkTurn()
        }
    }

    /// Notes an answer.
    ///
    /// If the cache refuses it and no provider holds it any more, it is lost, and so is the version that it replaced.
    func bring(_ message: Message, _ asked: Int) {
        unsettled.formUnion(["Message:\(message.id)", "Person:\(message.sender.id)"])
        guard isSuspended else { return model.answer(message, asked) }
        model.mayEdit("Message:\(message.id)", 0)
        model.mayEdit("Person:\(message.sender.id)", 0)
    }

    func answer(_ kind: Int, _ number: Int) {
        if kind < 2 {
            let version = "a\(modelServers[kind].tag(number))"
            let value = Message(id: "\(kind)", text: version, sender: person(version))
            modelServers[kind].answer(number, .success(value))
            bring(value, modelServers[kind].tag(number))
        } else {
            let version = "a\(listServer.tag(number))"
            let value = (0..<2).map { _ in person(version) }
            listServer.answer(number, .success(value))
            model.setList(listServer.tag(number))
            isListSettled = false
            if isSuspended { model.refuseList() }
            for person in value {
                unsettled.insert("Person:\(person.id)")
                if isSuspended {
                    model.mayEdit("Person:\(person.id)", 0)
                } else {
                    model.answer(person, listServer.tag(number))
                }
            }
        }
    }
}
