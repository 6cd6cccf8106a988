#if Macros
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    import GroveMacros
    import GroveMemory
    import Testing

    @Suite("Models by the macro") struct ModelTests {
        /// The identifiers of a model's direct children, unidentified ones as "-".
        private func children(_ model: some Model) -> [String] {
            var names: [String] = []
            model.forEach { names.append($0.modelIdentifier?.rawValue ?? "-") }
            return names
        }

        private func renamed(_ model: any Model) -> any Model {
            guard let person = model as? Person else { return model }
            return Person(id: person.id, name: "new")
        }

        /// Each child replaced by itself under another name, in place and by `map`.
        private func expectReplaced<M: Model & Equatable>(_ model: M) {
            let count = children(model).count
            #expect(count > 0)
            for position in 0..<count {
                var next = 0
                var new: (any Model)?
                let mapped = model.map { old in
                    defer { next += 1 }
                    guard next == position else { return old }
                    new = renamed(old)
                    return new
                }
                guard let new else { continue }
                #expect(model.replacingChild(at: position, with: new) == mapped, "\(M.self) \(position)")
            }
            #expect(model.replacingChild(at: count, with: Person(id: 0, name: "")) == nil)
        }

        @Test("Replacing one child is what map does, wherever the child lies, and needs no call for the others")
        func replacesOneChild() {
            let people = (1...3).map { Person(id: $0, name: "\($0)") }
            expectReplaced(Frame(owner: people[0], width: 1))
            for seed in 0..<4 { expectReplaced(Message.sample(seed)) }
            expectReplaced(
                Feed(
                    id: "f", items: [.person(people[0]), .separator, .people(people), .person(people[1])],
                    top: .person(people[2]), byName: ["a": .person(people[0])]))
            expectReplaced(
                Mail(id: 1, attachments: [Attachment(id: nil, name: "in place"), Attachment(id: 2, name: "")]))
        }

        // MARK: Identity

        @Test("Identifiers: from id, from another property, by hand, from an optional, from a constant")
        func identifiers() throws {
            let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
            #expect(Person(id: -7, name: "").modelIdentifier == "Person:-7")
            #expect(Account(userID: uuid, name: "").modelIdentifier == "Account:E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
            #expect(Custom(id: 1, name: "n").modelIdentifier == "custom-1-n")
            #expect(Attachment(id: nil, name: "").modelIdentifier == nil)
            #expect(Attachment(id: 5, name: "").modelIdentifier == "Attachment:5")
            #expect(Settings(isDark: true).modelIdentifier == "Settings:only")
            #expect(Frame(owner: nil, width: 0).modelIdentifier == nil)
            #expect(SmallProfile(id: 1, name: "", friend: nil, friends: []).modelIdentifier == "Profile:1")
            #expect(Profile.Friend(id: 1, name: "", age: 1).modelIdentifier == "Friend:1")
            #expect(Profile.Friend.recordName == "Friend")
            #expect(Profile.Friend.projectionName == "Full")
            #expect(SmallProfile.projectionName == "SmallProfile")
        }

        @Test("The fast identifier is the identifier")
        func fastIdentifier() throws {
            let uuid = UUID()
            let cache = try MemoryCache()
            try cache.write(Account(userID: uuid, name: "a"))
            try cache.write(Custom(id: 1, name: "n"))
            try cache.write(Settings(isDark: true))
            try cache.write(
                Mail(id: 1, attachments: [Attachment(id: nil, name: "in place"), Attachment(id: 2, name: "apart")]))
            #expect(
                try Set(cache.bodies().keys) == [
                    "Account:\(uuid)", "custom-1-n", "Settings:only", "Mail:1", "Attachment:2",
                ])
            #expect(try cache.model("Account:\(uuid)", as: Account.self)?.userID == uuid)
            #expect(try cache.model("Mail:1", as: Mail.self)?.attachments.map(\.id) == [nil, 2])
            #expect(try cache.model("Settings:only", as: Settings.self)?.isDark == true)
        }

        // MARK: Children

        @Test("Children are what is a model, in every container, in the order of the record")
        func children() {
            // alpha, byName, crowds, fans, frame, frames, replies, teams, zeta stand in the record's order.
            #expect(
                children(Message.sample(1)) == [
                    "Person:11", "Person:12", "Person:113", "Person:1", "Person:2", "-", "Person:10", "Person:5",
                    "Person:1", "Person:4", "Person:8", "Person:9", "Person:8", "-", "-", "Person:3", "Person:1",
                    "Person:3",
                ])
            #expect(children(Person(id: 1, name: "")).isEmpty)
            #expect(
                children(Holder(id: 1, one: ByHand(id: 1), maybe: ByHand(id: 2), crowd: [ByHand(id: 3)])) == [
                    "ByHand:1", "ByHand:3", "ByHand:2",
                ])
        }

        @Test("map replaces each child")
        func map() throws {
            let message = Message.sample(1)
            let new = try #require(message.map(renamed))
            #expect(new.zeta.name == "new")
            #expect(new.crowds.map { $0.map(\.name) } == [["new"], [], ["new", "new"]])
            #expect(new.byName.mapValues(\.name) == ["one": "new", "a longer key": "new", "": "new"])
            #expect(new.teams["some"]??.first?.name == "new")
            #expect(new.teams["none"] == .some(.none))
            #expect(new.fans.map(\.name) == ["new", "new", "new"])
            #expect(new.frame == message.frame, "only direct children are visited")
            #expect(new.badges == message.badges)
            #expect(new.twice == message.twice)
            #expect(message.map { $0 } == message)
        }

        @Test("A child that is gone: an optional is nil, an element is dropped, a required one takes the model along")
        func gone() throws {
            let message = Message.sample(1)
            func map(without identifier: ModelIdentifier) -> Message? {
                message.map { $0.modelIdentifier == identifier ? nil : $0 }
            }
            #expect(map(without: "Person:1") == nil)
            #expect(map(without: "Person:2")?.alpha == .some(nil))
            #expect(map(without: "Person:3")?.replies.map(\.id) == [1])
            #expect(map(without: "Person:4")?.byName.count == 2)
            #expect(map(without: "Person:8")?.crowds.map { $0.map(\.id) } == [[], [], [9]])
            #expect(map(without: "Person:10")?.teams["some"] == .some([]))
            #expect(map(without: "Person:11")?.fans.count == 2)
            #expect(message.map { $0 is Frame ? nil : $0 }?.frames.count == 3)
        }

        @Test("map of a class, and of what is left out")
        func mapOfOthers() throws {
            let fork = Fork("root", Fork("left"), Fork("right"))
            let mapped = try #require(fork.map { $0.modelIdentifier == "Fork:left" ? nil : $0 })
            #expect(mapped == Fork("root", nil, Fork("right")))
            var draft = Draft(id: 1, text: "a")
            draft.edits = 5
            #expect(draft.map { $0 }?.edits == 5)
            #expect(draft.map { $0 } == draft)
        }

        // MARK: Equality

        @Test("Equality compares what is not ignored")
        func equality() {
            let draft = Draft(id: 1, text: "a")
            var other = draft
            other.seen = true
            other.onChange = {}
            #expect(other == draft)
            #expect(other.isEqual(to: draft))
            other.edits = 3
            #expect(other != draft)
            #expect(Draft(id: 1, text: "a", secret: 1) != draft)
            var message = Message.sample(1)
            message.badges[1].level = 77
            #expect(message != Message.sample(1))
            let holder = Holder(id: 1, one: ByHand(id: 1), maybe: nil, crowd: [])
            #expect(holder != Holder(id: 1, one: ByHand(id: 1), maybe: ByHand(id: 1), crowd: []))
            #expect(!Person(id: 1, name: "").isEqual(to: Frame(owner: nil, width: 1)))
        }

        // MARK: Merge

        private let full = Profile(
            id: 1, name: "old", bio: "bio", friend: Profile.Friend(id: 2, name: "old", age: 30),
            friends: [Profile.Friend(id: 2, name: "old", age: 30), Profile.Friend(id: 3, name: "three", age: 31)])

        @Test("merge takes the fields that another projection carries and keeps the rest")
        func merge() throws {
            let small = SmallProfile(
                id: 1, name: "new", friend: SmallFriend(id: 2, name: "new"),
                friends: [SmallFriend(id: 3, name: "three"), SmallFriend(id: 2, name: "new")])
            let merged = try #require(full.merge(small) as? Profile)
            #expect(
                merged
                    == Profile(
                        id: 1, name: "new", bio: "bio", friend: Profile.Friend(id: 2, name: "new", age: 30),
                        friends: [
                            Profile.Friend(id: 3, name: "three", age: 31), Profile.Friend(id: 2, name: "new", age: 30),
                        ]))
            // On disk it is the same.
            let cache = try MemoryCache()
            try cache.write(full)
            try cache.write(small)
            #expect(try cache.model("Profile:1", as: Profile.self) == merged)
        }

        @Test("merge: nil overwrites, an unknown child is not made up, another thing changes nothing")
        func mergeEdges() throws {
            let none = SmallProfile(id: 1, name: "new", friend: nil, friends: [])
            #expect((full.merge(none) as? Profile)?.friend == .some(nil))
            #expect((full.merge(none) as? Profile)?.friends == [])
            let stranger = SmallProfile(
                id: 1, name: "new", friend: SmallFriend(id: 9, name: "x"), friends: [SmallFriend(id: 9, name: "x")])
            let merged = try #require(full.merge(stranger) as? Profile)
            #expect(merged.name == "new")
            #expect(merged.friend == full.friend)
            #expect(merged.friends == full.friends)
            #expect(full.merge(SmallProfile(id: 2, name: "x", friend: nil, friends: [])) as? Profile == full)
            #expect(full.merge(Person(id: 1, name: "x")) as? Profile == full)
            let newer = Profile(id: 1, name: "newest", bio: nil, friend: nil, friends: [])
            #expect(full.merge(newer) as? Profile == newer)
            #expect((none.merge(full) as? SmallProfile)?.friends.count == 0, "small ones of friends are not made up")
        }

        @Test("map merges another projection into the child that stands there")
        func mapWithProjection() throws {
            let new = full.map { child in
                child.modelIdentifier == "Friend:2" ? SmallFriend(id: 2, name: "new") : child
            }
            #expect(new?.friend == Profile.Friend(id: 2, name: "new", age: 30))
            #expect(new?.friends.map(\.name) == ["new", "three"])
        }
    }
#endif
