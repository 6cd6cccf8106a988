#if Macros
    import GroveMacros

    /// ``Letter`` without the macro.
    struct LetterByHand: Model, CacheableModel, Equatable {
        let id: Int
        let text: String
        let sender: Correspondent
        let copies: [Correspondent]
        let attachment: Enclosure?
        var isRead: Bool
        var scrollOffset = 0.0

        static let recordName = "Letter"
        static let projectionName = "Letter"

        var modelIdentifier: ModelIdentifier? { "Letter:\(id)" }

        static func == (left: LetterByHand, right: LetterByHand) -> Bool {
            left.id == right.id && left.text == right.text && left.sender == right.sender && left.copies == right.copies
                && left.attachment == right.attachment && left.isRead == right.isRead
        }

        func map(_ transform: (any Model) -> (any Model)?) -> LetterByHand? {
            guard let sender = transform(sender) as? Correspondent else { return nil }
            return LetterByHand(
                id: id, text: text, sender: sender, copies: copies.compactMap { transform($0) as? Correspondent },
                attachment: attachment.flatMap { transform($0) as? Enclosure }, isRead: isRead,
                scrollOffset: scrollOffset)
        }

        func forEach(_ visit: (any Model) -> Void) {
            copies.forEach(visit)
            visit(sender)
            if let attachment { visit(attachment) }
        }

        static let fields = FieldTable("id", "text", "copies", "isRead", "sender", "attachment")

        func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
            try node.encode(id, at: 0)
            try node.encode(text, at: 1)
            try node.encode(copies, at: 2)
            try node.encode(isRead, at: 3)
            try node.encode(sender, at: 4)
            try node.encode(attachment, at: 5)
        }

        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> LetterByHand {
            let id = try node.scan(Int.self, at: 0)
            let text = try node.scan(String.self, at: 1)
            let copies = try node.scan([Correspondent].self, at: 2)
            let isRead = try node.scan(Bool.self, at: 3)
            let sender = try node.scan(Correspondent.self, at: 4)
            let attachment = try node.scan(Enclosure?.self, at: 5)
            return LetterByHand(
                id: try node.finish(id), text: try node.finish(text), sender: try node.finish(sender),
                copies: try node.finish(copies), attachment: try node.finish(attachment),
                isRead: try node.finish(isRead))
        }
    }
#endif
