#if Macros
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    import GroveMacros
    import GroveMemory
    import Testing

    @Suite("The example of the documentation") struct ExampleTests {
        private let ann = Correspondent(id: 1, name: "Ann")
        private let bob = Correspondent(id: 2, name: "Bob")

        @Test("It says what the example file says")
        func sameText() throws {
            let here = URL(filePath: #filePath).deletingLastPathComponent()
            let source = try String(contentsOf: here.appending(path: "Example.swift"), encoding: .utf8)
            let page = here.appending(path: "../../Docs/Guides/Cacheable.md").standardized
            let text = try String(contentsOf: page, encoding: .utf8)
            let lines = source.split(separator: "\n").filter { $0.hasPrefix("    ") && !$0.hasPrefix("    //") }
                .map { $0.dropFirst(4) }.filter { !$0.hasPrefix("import") }
            #expect(lines.count > 20)
            for line in lines { #expect(text.contains(line), "the page lacks: \(line)") }
        }

        @Test("One attribute stores what the model by hand stores")
        func sameBytes() throws {
            let letter = Letter(
                id: 34, text: "Hello", sender: ann, copies: [bob, ann], attachment: Enclosure(name: "a.pdf", size: 9),
                isRead: false)
            let hand = LetterByHand(
                id: 34, text: "Hello", sender: ann, copies: [bob, ann], attachment: Enclosure(name: "a.pdf", size: 9),
                isRead: false)
            #expect(try Encoded(letter) == Encoded(hand))
            var visited: [[ModelIdentifier?]] = [[], []]
            letter.forEach { visited[0].append($0.modelIdentifier) }
            hand.forEach { visited[1].append($0.modelIdentifier) }
            #expect(visited[0] == visited[1])
            let cache = try MemoryCache()
            try cache.write(letter)
            #expect(try cache.model("Letter:34", as: Letter.self) == letter)
            #expect(try cache.model("Letter:34", as: LetterByHand.self) == hand)
            let entries: [Entry] = [.letter(letter), .person(bob)]
            try cache.writeCollection(entries, as: "inbox")
            #expect(try cache.collection("inbox", of: Entry.self) == entries)
        }
    }
#endif
