// The same timeline by indices, which is how it had to be written before lists were edited as lists; only what the socket brings is put in
// by identifiers here too. A test compares the two.
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
    /// The first page; what was loaded before stays behind it.
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
    /// The next page.
    func older() async throws {
        _ = try await notes.loadMore { [server] shown in try await server.older(than: shown.last?.id) }
    }
    private func index(of id: Int) -> Int? { notes.elements.firstIndex { $0.id == id } }
    /// A message that the socket brings, perhaps once more, and for which it was asked at `asked`; throws if the user has logged out since.
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
    /// An answer of the user, above the message that it is to.
    func answer(_ note: Note, to id: Int) {
        guard let index = index(of: id) else { return }
        notes.insert([note], at: index)
    }
}
