#if Macros
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    import GroveCache
    import GroveMacros
    import GroveMemory
    import Testing

    // Each test but the last is a line of Docs/Guides/SchemaChanges.md, and so are those of SchemaValueTests.swift.
    @Suite("Schema changes: fields") struct SchemaChangeTests {
        private let old = Old.Post(id: 1, headline: "A", likes: 4)

        /// A cache in which an earlier version wrote `model`.
        private func cache(_ model: some CacheableModel) throws -> MemoryCache {
            let cache = try MemoryCache()
            try cache.write(model)
            return cache
        }

        @Test("A field is added with a default value: the default value")
        func addedWithDefault() throws {
            let post = try #require(try cache(old).model("Post:1", as: New.Post.self))
            #expect(post.views == 0)
            #expect(post.tags == ["new"])
            #expect(post.level == .plain(10))
            #expect(post.limit == 11)
            #expect(post.note == "none")
            #expect(post.stars == 9 && post.words == ["first", "second"], "a `let`, by `@CacheField(default:)`")
            #expect(post.edits == 0)
            #expect(post.editors == [Person(id: 1, name: "one")])
            #expect(post.badge == Badge(name: "none", level: 0))
        }

        @Test("A field with a default value is in the record: what is stored")
        func storedBeforeDefault() throws {
            let cache = try MemoryCache()
            let post = New.Post(
                id: 1, title: "B", summary: "s", views: 7, tags: [], editors: [Person(id: 2, name: "two")],
                badge: Badge(name: "b", level: 1), level: .plain(0), limit: 2, note: nil, stars: 4, words: [], edits: 3)
            try cache.write(post)
            var read = try #require(try cache.model("Post:1", as: New.Post.self))
            read.edits = 3
            #expect(read == post)
            #expect(post.map { $0 } == post)
            // So it is after map and merge.
            let merged = post.merge(Old.Post(id: 1, headline: "A", likes: 1)) as? New.Post
            #expect(merged == post)
        }

        @Test("A field is added as an optional: nil")
        func addedOptional() throws {
            #expect(try cache(old).model("Post:1", as: New.Post.self)?.summary == .some(nil))
            #expect(try cache(old).model("Post:1", as: New.Article.self)?.author == .some(nil))
        }

        @Test("A field is added that is neither: a miss")
        func addedRequired() throws {
            #expect(try cache(Before(id: 1)).read("Drift:1", as: AfterRequired.self).miss?.reason == .incomplete)
        }

        @Test("A field is removed: the others")
        func removed() throws {
            let cache = try cache(old)
            #expect(try cache.model("Post:1", as: Ticker.self) == Ticker(id: 1, headline: "A"))
            #expect(try cache.model("Post:1", as: New.Post.self)?.title == "A")
        }

        @Test("A field is renamed, with `was:`: what is stored under the old name")
        func renamed() throws {
            let cache = try cache(old)
            #expect(try cache.model("Post:1", as: New.Post.self)?.title == "A")
            #expect(try cache.model("Post:1", as: New.Article.self)?.title == "A")
            // An old name that stands before the new one's place; and a conformance by hand.
            #expect(try self.cache(Old.First(id: 1, name: "A")).model("Post:1", as: New.Post.self)?.title == "A")
            let hand = PostByHand(id: 1, title: "A", views: 5, badge: Badge(name: "hand", level: 1))
            #expect(try cache.model("Post:1", as: PostByHand.self) == hand)
            // Fields of models, and of what is `Codable`.
            let (one, two, badge) = (Person(id: 1, name: "1"), Person(id: 2, name: "2"), Badge(name: "b", level: 1))
            let letter = Old.Letter(id: 1, writer: one, readers: [two, one], seal: badge)
            #expect(
                try self.cache(letter).model("Letter:1", as: New.Letter.self)
                    == New.Letter(id: 1, author: one, audience: [two, one], stamp: badge, note: Old.Label(text: "")))
        }

        @Test("A field is renamed, without `was:`: one is removed and another added")
        func renamedSilently() throws {
            #expect(try cache(old).read("Post:1", as: New.Forgetful.self).miss?.reason == .incomplete)
        }

        @Test("A record has several of its names: what is stored under the new one, else under the latest")
        func bothNames() throws {
            let cache = try cache(old)
            try cache.write(Ticker(id: 1, headline: "T"))
            #expect(try cache.model("Post:1", as: New.Post.self)?.title == "T")
            try cache.write(Old.First(id: 1, name: "N"))
            #expect(try cache.model("Post:1", as: New.Post.self)?.title == "N")
            try cache.write(PostByHand(id: 1, title: "B"))
            #expect(try cache.model("Post:1", as: New.Post.self)?.title == "B")
            #expect(try cache.model("Post:1", as: Ticker.self)?.headline == "T", "what another projection wrote stays")
        }

        @Test("A record is written again: it has the new names alone")
        func writtenAgain() throws {
            let (drifted, fresh) = (try cache(old), try MemoryCache())
            let post = try #require(try drifted.model("Post:1", as: New.Post.self))
            try drifted.write(post)
            try fresh.write(post)
            #expect(try drifted.bodies() == fresh.bodies())
            #expect(try drifted.read("Post:1", as: Old.Post.self).miss?.reason == .incomplete)
        }

        @Test("Only other projections wrote the record: a field that they do not have is a miss, whatever its default")
        func otherProjection() throws {
            let cache = try cache(Ticker(id: 1, headline: "T"))
            #expect(try cache.read("Post:1", as: New.Post.self).miss?.reason == .incomplete)
            #expect(try cache.read("Post:1", as: PostByHand.self).miss?.reason == .incomplete)
            // Once its own earlier version has written too, what that did not have is known.
            try cache.write(old)
            try cache.write(Ticker(id: 1, headline: "T"))
            #expect(try cache.model("Post:1", as: New.Post.self)?.views == 0)
        }

        @Test("A value without a record of its own changes: as a record does")
        func inPlace() throws {
            let label = Old.Label(text: "a")
            let card = Old.Card(id: 1, label: label, labels: [label], shape: .circle(radius: 1))
            let cache = try cache(card)
            let new = New.Card(
                id: 1, label: New.Label(title: "a"), labels: [New.Label(title: "a")], shape: .circle(radius: 1))
            #expect(try cache.model("Card:1", as: New.Card.self) == new)
            #expect(new.label?.color == "red")
            // What another projection wrote in place may lack what it does not know.
            try cache.write(BriefCard(id: 1, label: nil, labels: [BriefLabel(text: "b")]))
            #expect(try cache.read("Card:1", as: New.Card.self).miss?.reason == .incomplete)
            try cache.write(BriefCard(id: 1, label: BriefLabel(text: "b"), labels: []))
            #expect(try cache.read("Card:1", as: New.Card.self).miss?.reason == .incomplete)
            try cache.write(card)
            #expect(try cache.model("Card:1", as: New.Card.self) == new)
        }

        @Test("A labelled value is added to an enum's case, with a default value: the default value")
        func addedPayload() throws {
            let cache = try MemoryCache()
            let shapes: [(Old.Shape, New.Shape)] = [
                (.circle(radius: 2), .circle(radius: 2, x: 1, y: 2, fill: "none")), (.dot, .dot(size: 3)),
            ]
            for (old, new) in shapes {
                try cache.write(Old.Card(id: 1, label: nil, labels: [], shape: old))
                #expect(try cache.model("Card:1", as: New.Card.self)?.shape == new)
            }
            let full = New.Card(id: 1, label: nil, labels: [], shape: .circle(radius: 1, x: 8, y: 9, fill: nil))
            try cache.write(full)
            #expect(try cache.model("Card:1", as: New.Card.self) == full)
        }

        @Test("An identifier is added to a value in place: a miss, whatever its default; nil if it is optional")
        func addedIdentifier() throws {
            let cache = try cache(Old.Card(id: 1, label: Old.Label(text: "a"), labels: [], shape: .dot))
            #expect(try cache.read("Card:1", as: New.Identified.self).miss?.reason == .incomplete)
            let label = try #require(try cache.model("Card:1", as: New.MaybeIdentified.self)?.label)
            #expect(label.id == nil && label.text == "a")
            // Written again with an identifier, it gets a record of its own.
            try cache.write(New.Identified(id: 1, label: New.Identified.Named(id: 2, text: "a")))
            #expect(try cache.model("Card:1", as: New.Identified.self)?.label?.id == 2)
            #expect(try cache.bodies().keys.contains("New.Identified.Named:2"))
        }

        @Test("A type is renamed, with its old name as `record:` and `projection:`: what is stored")
        func renamedType() throws {
            let cache = try cache(Old.Friend(id: 1, name: "one"))
            let contact = try #require(try cache.model("Old.Friend:1", as: New.Contact.self))
            #expect(contact == New.Contact(id: 1, name: "one", isFriend: false))
            // It is found, and followed, under the same identifier.
            #expect(contact.modelIdentifier == "Old.Friend:1")
            // A field with a default value needs the name of the projection too.
            #expect(try cache.read("Old.Friend:1", as: New.Shown.self).miss?.reason == .incomplete)
        }

        @Test("A record's name changes: a miss")
        func renamedRecord() throws {
            let cache = try cache(Person(id: 1, name: "one"))
            #expect(try cache.read("Person:1", as: Profile.self).miss?.reason == .otherType)
        }

        @Test("One record of many cannot be read: it is a miss, and the others are read")
        func sparedSiblings() throws {
            let cache = try MemoryCache()
            let posts = (1...3).map { New.Forgetful(id: $0, title: "\($0)") }
            try cache.writeCollection(posts, as: "all")
            try cache.write(Old.Post(id: 2, headline: "B"))
            #expect(try cache.readCollection("all", of: New.Forgetful.self).miss?.identifier == "Post:2")
            let rest = try #require(try cache.readCollection("all", of: New.Forgetful.self, missing: .skip).value)
            #expect(rest.elements == [posts[0], posts[2]])
            try cache.write(posts[1])
            #expect(try cache.collection("all", of: New.Forgetful.self) == posts)
        }

        @Test("Each line of the page is a test")
        func page() throws {
            let here = URL(filePath: #filePath).deletingLastPathComponent()
            let page = try String(
                contentsOf: here.appending(path: "../../Docs/Guides/SchemaChanges.md").standardized, encoding: .utf8)
            let lines = page.split(separator: "\n").compactMap { line -> String? in
                let cells = line.split(separator: "|").map { $0.trimming(while: \.isWhitespace) }
                guard line.hasPrefix("|"), cells.count == 2, !cells[1].hasPrefix("-") else { return nil }
                return cells.joined(separator: ": ")
            }
            let tests = try ["SchemaChangeTests.swift", "SchemaValueTests.swift"].flatMap { file in
                try String(contentsOf: here.appending(path: file), encoding: .utf8).split(separator: "\n").compactMap {
                    line -> String? in
                    guard let start = line.firstRange(of: "@Test(\"") else { return nil }
                    return String(line[start.upperBound...].dropLast(2))
                }
            }
            #expect(Set(lines.filter { !$0.hasPrefix("you") }) == Set(tests.filter { !$0.hasPrefix("Each line") }))
            #expect(tests.count > 25)
        }
    }

    extension Substring {
        fileprivate func trimming(while isTrimmed: (Character) -> Bool) -> Substring {
            let head = drop(while: isTrimmed)
            return head.prefix(head.count - head.reversed().prefix(while: isTrimmed).count)
        }
    }
#endif
