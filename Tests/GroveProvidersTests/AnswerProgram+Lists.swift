import Grove
import GroveCache
import TestSupport
import Testing

/// Edits of the list by four kinds of writers. Each puts in an element of its own, so that it is known whether that is
/// there.
extension AnswerProgram {
    /// Edits the list by a screen, a call of the cache or a transaction.
    func editList() throws {
        let list = pick(lists)
        let writer = Int.random(in: 0..<4, using: &random)
        let form = ListForm.allCases[Int.random(in: 0..<ListForm.allCases.count, using: &random)]
        let new = Person(id: "r\(step)", name: "\(step)")
        let others = (writer < 2 ? list.data.map(\.id) : scene.people().map(\.id))
        let other = others.isEmpty ? "none" : pick(others)
        calls.append("\(form)\(writer)\(other)")
        guard writer < 2 else {
            guard !isSuspended else { return }
            return try edit(by: writer == 2 ? .call : .transaction, form, new, beside: other)
        }
        if list.cacheKey != "people" { list.fetchDataFromCache(withCacheKey: "people") { _, _ in } }
        edit(list, form, new, beside: other)
        isListSettled = false
        if isSuspended { model.refuseList() }
    }

    private func edit(_ list: CollectionDataProvider<Person>, _ form: ListForm, _ new: Person, beside other: String) {
        let beside = ModelIdentifier("Person:\(other)")
        switch form {
        case .append: list.append([new])
        case .insert: list.insert([new], at: .before(beside))
        case .upsert: list.upsert([new], at: .after(beside))
        case .reference, .insertFirst, .replaceFirst: list.insert([new], at: 0)
        case .remove, .removeFirst:
            let gone = form == .remove ? other : list.data.first?.id ?? other
            if list.remove(ModelIdentifier("Person:\(gone)")) { model.remove(row: gone, step) }
            return
        case .move, .moveFirst:
            list.move(beside, to: form == .move ? .first : .last)
            return
        case .set:
            model.setList(step)
            list.setData([new], cacheKey: "people")
        }
        model.add(row: new.id, step)
        if isSuspended { model.mayEdit("Person:\(new.id)", step) } else { model.edit(new, step) }
    }

    private enum Writer { case call, transaction }

    private func edit(by writer: Writer, _ form: ListForm, _ new: Person, beside other: String) throws {
        let cache = scene.anyCache
        guard try cache.knownCount(ofCollection: "people") != nil || form == .set else { return }
        let beside = ModelIdentifier("Person:\(other)")
        func apply<Target: CacheReader & CacheWriter & ~Copyable>(to target: borrowing Target) throws -> Bool {
            switch form {
            case .append: try target.append([new], toCollection: "people")
            case .insert: try target.insert([new], at: .before(beside), inCollection: "people")
            case .upsert: try target.upsert([new], at: .after(beside), inCollection: "people")
            case .reference:
                try target.write(new)
                try target.insert(references: ["Person:\(new.id)"], at: .first, inCollection: "people")
            case .insertFirst, .replaceFirst: try target.insert([new], at: 0, inCollection: "people")
            case .remove, .removeFirst:
                try target.remove(beside, fromCollection: "people")
                return false
            case .move, .moveFirst:
                try target.move(beside, to: form == .move ? .first : .last, inCollection: "people")
                return false
            case .set: try target.writeCollection([new], as: "people")
            }
            return true
        }
        let isAdded =
            switch writer {
            case .call: try apply(to: cache)
            case .transaction: try cache.write { tx in try apply(to: tx) }
            }
        if form == .set { model.setList(step) }
        guard isAdded else {
            if form == .remove || form == .removeFirst { model.remove(row: other, step) }
            return
        }
        model.add(row: new.id, step)
        model.edit(new, step)
    }

    /// Edits the list in the other process.
    func editListElsewhere() throws {
        guard let peer, scene.hasAllPeople else { return }
        let forms: [ListForm] = [.append, .insert, .insertFirst, .remove, .move, .moveFirst]
        let (form, new) = (pick(forms), Person(id: "r\(step)", name: "\(step)"))
        let rows = scene.people().map(\.id)
        let other = rows.isEmpty ? "none" : pick(rows)
        calls.append("\(form)elsewhere\(other)")
        let brings = ![.remove, .move, .moveFirst].contains(form)
        #expect(try peer.ask("form", form.rawValue, brings ? new.id : other, rows.first ?? "none") == "done", story)
        if form == .remove {
            model.remove(row: other, step)
            // An answer that was asked for before brings it back, until the next one.
            if !listServer.open.isEmpty { model.mayComeBack(row: other) }
        }
        guard brings else { return }
        #expect(try peer.ask("put", new.id, new.name) == "done", story)
        model.add(row: new.id, step)
        model.edit(new, step)
    }
}
