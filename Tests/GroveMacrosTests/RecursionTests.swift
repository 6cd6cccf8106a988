#if Macros
    import GroveCache
    import GroveMacros
    import GroveMemory
    import Testing

    @Suite("Models that hold their own type") struct RecursionTests {
        @Test("A struct holds its own type in an indirect enum, which is the struct's record")
        func indirectEnum() throws {
            let cache = try MemoryCache()
            let first = Reply(id: 1, text: "first", quoted: nil, answers: [])
            let reply = Reply(
                id: 2, text: "second", quoted: .value(first),
                answers: [Reply(id: 3, text: "third", quoted: nil, answers: [])])
            try cache.write(reply)
            #expect(try cache.model("Reply:2", as: Reply.self) == reply)
            #expect(try cache.model("Reply:1", as: Reply.self) == first)
            #expect(try Set(cache.bodies().keys) == ["Reply:1", "Reply:2", "Reply:3"])
            // A newer quoted one is seen, in the cache and in memory; a deleted one is nil.
            let newer = Reply(id: 1, text: "newer", quoted: nil, answers: [])
            try cache.write(newer)
            #expect(try cache.model("Reply:2", as: Reply.self)?.quoted == .value(newer))
            #expect(reply.map { $0.modelIdentifier == "Reply:1" ? newer : $0 }?.quoted == .value(newer))
            try cache.delete("Reply:1")
            #expect(try cache.model("Reply:2", as: Reply.self)?.quoted == .some(nil))
        }

        @Test("A struct without an identifier holds its own type in place, in an indirect enum")
        func inPlace() throws {
            let cache = try MemoryCache()
            let thread = Thread(id: 1, top: Remark(text: "a", answer: .value(Remark(text: "b", answer: nil))))
            try cache.write(thread)
            #expect(try cache.model("Thread:1", as: Thread.self) == thread)
            #expect(try cache.bodies().count == 1)
        }

        @Test("A final class holds its own type")
        func finalClass() throws {
            let cache = try MemoryCache()
            let fork = Fork("root", Fork("left"), nil)
            try cache.write(fork)
            #expect(try cache.model("Fork:root", as: Fork.self) == fork)
        }
    }

    @Cacheable
    struct Reply {
        let id: Int
        let text: String
        let quoted: ReplyBox?
        let answers: [Reply]
    }

    @Cacheable
    indirect enum ReplyBox { case value(Reply) }

    @Cacheable
    struct Thread {
        let id: Int
        let top: Remark
    }

    @Cacheable
    struct Remark {
        let text: String
        let answer: RemarkBox?
    }

    @Cacheable
    indirect enum RemarkBox { case value(Remark) }
#endif
