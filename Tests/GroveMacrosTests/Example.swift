#if Macros
    import GroveMacros

    // The example of Docs/Guides/Cacheable.md. The same model by hand, as RocketData asks for it, is in
    // ByHandExample.swift.

    @Cacheable
    struct Letter {
        let id: Int
        let text: String
        let sender: Correspondent
        let copies: [Correspondent]
        let attachment: Enclosure?
        var isRead: Bool
        @CacheIgnored @EqualityIgnored var scrollOffset = 0.0
    }

    @Cacheable
    struct Correspondent {
        let id: Int
        let name: String
    }

    @Cacheable
    struct Enclosure {
        let name: String
        let size: Int
    }

    @Cacheable
    enum Entry {
        case letter(Letter)
        case person(Correspondent)
        case heading(String)
    }
#endif
