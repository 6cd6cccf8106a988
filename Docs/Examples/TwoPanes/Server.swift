import Foundation
import GroveOutbox

/// In place of a server: it remembers in a file which posts were liked, and can be out of reach.
actor Server {
    struct OutOfReach: Error {}
    private let file: URL
    private let isReachable: Bool
    init(file: String, isReachable: Bool) { (self.file, self.isReachable) = (URL(filePath: file), isReachable) }
    func people() throws -> [Person] {
        guard isReachable else { throw OutOfReach() }
        return [Person(id: 1, name: "Ann"), Person(id: 2, name: "Ben"), Person(id: 3, name: "Cleo")]
    }
    func feed() throws -> [Post] {
        let (people, liked) = (try people(), liked)
        let texts = [(1, 1, "The first lantern"), (2, 2, "Rain again"), (3, 1, "Tea?"), (4, 3, "On my way")]
        return texts.map { id, author, text in
            let likes = id + (liked.contains(id) ? 1 : 0)
            return Post(id: id, author: people[author - 1], text: text, likes: likes, isLiked: likes > id)
        }
    }
    func like(_ id: Int) throws -> Post {
        guard let post = try feed().first(where: { $0.id == id }) else { throw Refusal("There is no such post.") }
        try Data(liked.union([id]).map(String.init).joined(separator: " ").utf8).write(to: file)
        return Post(id: id, author: post.author, text: post.text, likes: id + 1, isLiked: true)
    }
    private var liked: Set<Int> {
        Set((try? String(contentsOf: file, encoding: .utf8))?.split(separator: " ").compactMap { Int($0) } ?? [])
    }
}
