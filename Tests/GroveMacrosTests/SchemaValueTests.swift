#if Macros
    import GroveCache
    import GroveMacros
    import GroveMemory
    import Testing

    // Each test is a line of Docs/Guides/SchemaChanges.md.
    @Suite("Schema changes: values") struct SchemaValueTests {
        /// A cache in which an earlier version wrote `model`.
        private func cache(_ model: some CacheableModel) throws -> MemoryCache {
            let cache = try MemoryCache()
            try cache.write(model)
            return cache
        }

        private func numbers(
            small: Int32 = 1, whole: Int = 2, single: Float = 3, double: Double = 4
        ) throws -> MemoryCache {
            try cache(Old.Numbers(id: 1, small: small, whole: whole, single: single, double: double))
        }

        private func narrow(_ cache: MemoryCache) throws -> CacheMiss.Reason? {
            try cache.read("Numbers:1", as: New.Narrow.self).miss?.reason
        }

        private func wide(_ cache: MemoryCache) throws -> CacheMiss.Reason? {
            try cache.read("Numbers:1", as: New.Wide.self).miss?.reason
        }

        // MARK: Numbers

        @Test("An integer type becomes a wider one, or Float becomes Double: the same value")
        func wider() throws {
            let cache = try numbers(small: .min, whole: -3, single: 0.1, double: 2.5)
            #expect(
                try cache.model("Numbers:1", as: New.Wide.self)
                    == New.Wide(id: 1, small: Int64(Int32.min), whole: -3, single: Double(Float(0.1)), double: 2.5))
        }

        @Test("A number's type becomes a narrower one: the same value if it fits, else a miss")
        func narrower() throws {
            #expect(try numbers(small: 255).model("Numbers:1", as: New.Narrow.self)?.small == 255)
            for value: Int32 in [256, -1] { #expect(try narrow(numbers(small: value)) == .otherShape) }
            #expect(try numbers(double: 0.5).model("Numbers:1", as: New.Single.self)?.double == 0.5)
            #expect(try numbers(double: 0.1).read("Numbers:1", as: New.Single.self).miss?.reason == .otherShape)
        }

        @Test("An integer becomes a Double or a Float: the same value if that is exact, else a miss")
        func integerToFloat() throws {
            for value in [0, 1, -1, 1 << 53, -(1 << 53), .min] {
                #expect(try numbers(whole: value).model("Numbers:1", as: New.Wide.self)?.whole == Double(value))
            }
            #expect(try numbers(whole: 1 << 24).model("Numbers:1", as: New.Narrow.self)?.whole == 16_777_216)
            for value in [1 << 53 + 1, .max, -(1 << 53) - 1] { #expect(try wide(numbers(whole: value)) == .otherShape) }
            #expect(try narrow(numbers(whole: 1 << 24 + 1)) == .otherShape)
        }

        @Test("A Double or a Float becomes an integer: the same value if it is whole and fits, else a miss")
        func floatToInteger() throws {
            for value in [0, -0.0, 1, -1, -1e15, 0x1p62] {
                #expect(try numbers(double: value).model("Numbers:1", as: New.Narrow.self)?.double == Int(value))
            }
            #expect(try numbers(single: -7).model("Numbers:1", as: New.Narrow.self)?.single == -7)
            for value in [2.5, 0x1p63, -0x1p64, 1e300, .nan, .infinity, -.infinity] {
                #expect(try narrow(numbers(double: value)) == .otherShape, "\(value)")
            }
            for value: Float in [2.5, 32_768] { #expect(try narrow(numbers(single: value)) == .otherShape) }
        }

        @Test("Text becomes a number, or a number becomes text: a miss")
        func textAndNumbers() throws {
            let cache = try cache(Old.Note(id: 1, text: "7", reply: nil))
            #expect(try cache.read("Note:1", as: New.NumberNote.self).miss?.reason == .otherShape)
            try cache.write(New.NumberNote(id: 1, text: 7))
            #expect(try cache.read("Note:1", as: Old.Note.self).miss?.reason == .otherShape)
        }

        // MARK: Optionals

        @Test("A field becomes optional: the same value")
        func becomesOptional() throws {
            let cache = try cache(Old.Note(id: 1, text: "a", reply: "b"))
            #expect(try cache.model("Note:1", as: New.Note.self)?.text == "a")
        }

        @Test("An optional field becomes required: the same value; nil is a miss, whatever the default")
        func becomesRequired() throws {
            let cache = try cache(Old.Note(id: 1, text: "a", reply: "b"))
            #expect(try cache.model("Note:1", as: New.Note.self)?.reply == "b")
            #expect(try cache.model("Note:1", as: New.DefaultNote.self)?.reply == "b")
            try cache.write(Old.Note(id: 1, text: "a", reply: nil))
            #expect(try cache.read("Note:1", as: New.Note.self).miss?.reason == .otherShape)
            #expect(try cache.read("Note:1", as: New.DefaultNote.self).miss?.reason == .otherShape)
        }

        // MARK: Enums

        @Test("A raw-value enum does not have the stored case: a miss")
        func unknownRawValue() throws {
            let cache = try cache(Old.Moody(id: 1, mood: "cross", moods: []))
            #expect(try cache.read("Mood:1", as: New.StrictMoody.self).miss?.reason == .otherShape)
        }

        @Test("A raw-value enum with a fallback does not have the stored case: the fallback")
        func fallback() throws {
            let cache = try cache(Old.Moody(id: 1, mood: "cross", moods: ["calm", "cross"]))
            #expect(
                try cache.model("Mood:1", as: New.Moody.self) == New.Moody(id: 1, mood: .other, moods: [.calm, .other]))
            #expect(
                try cache.model("Mood:1", as: New.PlainMoody.self)
                    == New.PlainMoody(id: 1, mood: .other, moods: [.calm, .other]))
            #expect(
                try cache.model("Mood:1", as: New.HandMoody.self)
                    == New.HandMoody(id: 1, mood: .other, moods: [.calm, .other]))
            // Written again, the fallback is what is stored.
            try cache.write(New.Moody(id: 1, mood: .other, moods: []))
            #expect(try cache.model("Mood:1", as: Old.Moody.self)?.mood == "other")
        }

        @Test("An enum with a fallback finds something else than a raw value: a miss")
        func noFallback() throws {
            for number in [NumberMood(id: 1, mood: 7), NumberMood(id: 1, mood: nil)] {
                let cache = try cache(number)
                #expect(try cache.read("Mood:1", as: New.Moody.self).miss?.reason == .otherShape)
                #expect(try cache.read("Mood:1", as: New.PlainMoody.self).miss?.reason == .otherShape)
            }
        }

        @Test("An enum with payloads does not have the stored case: a miss")
        func unknownCase() throws {
            let cache = try cache(Tagged(id: 1, label: nil, labels: nil, choice: .some(text: "a", note: nil)))
            #expect(try cache.read("Tagged:1", as: OtherTagged.self).miss?.reason == .otherShape)
        }

        // MARK: Codable

        @Test("`Codable`, a field is added or renamed: nil if it is optional, else what its init(from:) makes of it")
        func codable() throws {
            let cache = try cache(Old.Post(id: 1, headline: "A"))
            let post = try #require(try cache.model("Post:1", as: PlainPost.self))
            #expect(post.title == "A" && post.summary == nil && post.views == 3)
            let other = try self.cache(Ticker(id: 1, headline: "A"))
            #expect(try other.read("Post:1", as: PlainPost.self).miss?.reason == .incomplete)
        }

        @Test("`Codable`, a number becomes a wider one or a Double: the same value if that is exact, else a miss")
        func codableNumbers() throws {
            let cache = try numbers(small: -1, whole: 1 << 53, single: 0.1, double: 4)
            let read = try #require(try cache.model("Numbers:1", as: PlainNumbers.self))
            #expect(read.small == -1 && read.whole == 0x1p53 && read.single == Double(Float(0.1)))
            #expect(
                try numbers(whole: 1 << 53 + 1).read("Numbers:1", as: PlainNumbers.self).miss?.reason == .otherShape)
        }

        @Test("`Codable`, an integer in a `singleValueContainer()` becomes a Double: a miss")
        func codableFractions() throws {
            let walk = Walk(way: .init(rawValue: 4))
            #expect(try cache(walk).read("Walk:1", as: ExactWalk.self).miss?.reason == .otherShape)
            // Else a value whose coding tries Double before Int would not come back as it was.
            let numbers = FractionsFirst(
                id: 1, one: .whole(1), many: [.fraction(1), .whole(-2), .fraction(2.5), .whole(.max)])
            #expect(try cache(numbers).model("FractionsFirst:1", as: FractionsFirst.self) == numbers)
        }

        @Test("`Codable`, a Double becomes an integer: a miss")
        func codableWholes() throws {
            #expect(try numbers(double: 4).read("Numbers:1", as: PlainWholes.self).miss?.reason == .otherShape)
            // Else a value whose coding tries one type after another would not come back as it was.
            let numbers = AnyNumbers(
                id: 1, one: .fraction(1),
                many: [.whole(1), .fraction(2), .fraction(2.5), .wholes([1]), .fractions([1, 2])])
            let cache = try cache(numbers)
            #expect(try cache.model("AnyNumbers:1", as: AnyNumbers.self) == numbers)
        }
    }

    @Cacheable(record: "Mood", projection: "Mood")
    struct NumberMood {
        let id: Int
        let mood: Int?
        var moods: [String] = []
    }

    @Cacheable(record: "Tagged", projection: "Tagged")
    struct OtherTagged {
        let id: Int
        let choice: OtherChoice?
    }

    @Cacheable
    enum OtherChoice { case other(text: String) }
#endif
