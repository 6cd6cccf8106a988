// The same timeline by indices, for comparison: a test compares the two. Only pushed messages are inserted by
// identifiers here too.
import Grove
import GroveLMDB

@MainActor
final class TimelineByIndex {
    let notes: CollectionDataProvider<Note>
    private let cache: any Cache
    private let server: any NoteServer

    init(_ manager: DataModelManager, _ cache: any Cache, _ server: any NoteServer) {
        (self.cache, self.server) = (cache, server)
        notes = CollectionDataProvider(dataModelManager: manager)
    }
    /// Loads the first page; the pages that were loaded before stay after it.
    func refresh() async throws {
        let shown = notes.data
        _ = try await notes.load(withCacheKey: "timeline", missing: .skip, reload: true) { [server] in
            let page = try await server.newest()
            let identifiers = Set(page.map(\.id))
            guard let last = shown.prefix(page.count).lastIndex(where: { identifiers.contains($0.id) }) else {
                return page
            }
            return page + shown[(last + 1)...].filter { !identifiers.contains($0.id) }
        }
    }
    /// Loads the next page.
    func older() async throws {
        _ = try await notes.loadMore { [server] shown in try await server.older(than: shown.last?.id) }
    }
    private func index(of id: Int) -> Int? { notes.elements.firstIndex { $0.id == id } }
    /// Stores a message from the socket, which was asked at `asked`; the same message may come again.
    ///
    /// It throws if the user has logged out since.
    func received(_ note: Note, asOf asked: Place) async throws {
        try await cache.write { tx in try tx.put(pushed: [note], at: .first, inCollection: "timeline", asOf: asked) }
    }
    func edited(_ note: Note) {
        guard let index = index(of: note.id) else { return }
        notes.update(note, at: index)
    }
    func retracted(_ id: Int) {
        guard let index = index(of: id) else { return }
        notes.remove(at: index)
    }
    func pin(_ id: Int) {
        guard let index = index(of: id) else { return }
        let note = notes[index]
        notes.remove(at: index)
        notes.insert([note], at: 0)
    }
    /// Inserts an answer of the user before the message that it answers.
    func answer(_ note: Note, to id: Int) {
        guard let index = index(of: id) else { return }
        notes.insert([note], at: index)
    }
}
