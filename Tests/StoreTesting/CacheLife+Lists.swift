import GroveCache
import GroveModel
import TestSupport
import Testing

/// Collections that are edited and opened again.
extension CacheLife {
    func editedLists() throws {
        var random = SeededGenerator(seed: 3)
        var list = (0..<400).map { Note($0, "first") }
        var cache = try open()
        try cache.writeCollection(list, as: "list")
        for round in 0..<40 {
            let index = Int.random(in: 0...list.count, using: &random)
            let range = index..<min(index + Int.random(in: 0...90, using: &random), list.count)
            let count = Int.random(in: 0...60, using: &random)
            let new = (0..<count).map { Note(1_000 * (round + 1) + $0, "round \(round)") }
            switch round % 4 {
            case 0:
                try cache.append(new, toCollection: "list")
                list += new
            case 1:
                try cache.replaceElements(in: range, ofCollection: "list", with: new)
                list.replaceSubrange(range, with: new)
            case 2 where list.count > 1:
                let to = Int.random(in: 0..<list.count, using: &random)
                try cache.moveElement(from: index % list.count, to: to, inCollection: "list")
                list.insert(list.remove(at: index % list.count), at: to)
            default:
                try cache.removeElements(in: range, ofCollection: "list")
                list.removeSubrange(range)
            }
            if round % 5 == 0 {
                cache.close()
                cache = try open()
            }
            try #require(try cache.collection("list", of: Note.self) == list, "round \(round)")
            try #require(try cache.count(ofCollection: "list") == list.count, "round \(round)")
        }
        cache.close()
    }
}
