#if Macros
    import GroveMacrosCode
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacroExpansion
    import SwiftSyntaxMacrosGenericTestSupport
    import TestSupport
    import Testing

    /// The text of expansions, which the compiler takes too.
    @Suite(
        "Expansions of the macro",
        .enabled(if: SwiftCompiler.plugin != nil, "needs the built modules and the plugin beside the tests")
    )
    struct ExpansionTests {
        /// Expects that `source` expands to `expanded`, and that both compile beside `types`.
        private func expect(_ source: String, _ expanded: String, beside types: String = "", line: Int = #line) throws {
            let specs = [
                "Cacheable": MacroSpec(
                    type: CacheableMacro.self,
                    conformances: [
                        "Model", "CacheableModel", "NodeCodable", "Equatable", "CacheFallback", "_CacheableFields",
                        "_CacheableEnum",
                    ]), "CacheIgnored": MacroSpec(type: CacheIgnoredMacro.self),
                "EqualityIgnored": MacroSpec(type: EqualityIgnoredMacro.self),
                "CacheField": MacroSpec(type: CacheFieldMacro.self),
            ]
            assertMacroExpansion(source, expandedSource: expanded, macroSpecs: specs) { failure in
                Issue.record(
                    "\(failure.message)",
                    sourceLocation: SourceLocation(
                        fileID: #fileID, filePath: #filePath, line: line, column: 1))
            }
            for code in [expanded, source] {
                let (said, succeeds) = try SwiftCompiler.check("import GroveMacros\n\(types)\n\(code)")
                #expect(
                    succeeds && said.isEmpty, "\(said.joined(separator: "\n"))",
                    sourceLocation: SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1))
            }
        }

        @Test("A raw-value enum")
        func leaf() throws {
            try expect(
                "@Cacheable enum Mood: String { case calm }",
                """
                enum Mood: String { case calm 
                }

                nonisolated extension Mood: GroveCoding.NodeCodable, Swift.Equatable {
                }
                """)
        }

        @Test("A raw-value enum with a fallback")
        func fallback() throws {
            try expect(
                "@Cacheable enum Mood: String { case calm; static let cacheFallback = Mood.calm }",
                """
                enum Mood: String { case calm; static let cacheFallback = Mood.calm 
                }

                nonisolated extension Mood: GroveCoding.NodeCodable, Swift.Equatable, GroveCoding.CacheFallback {
                }
                """)
        }

        @Test("Where the type is available, its extension is")
        func available() throws {
            try expect(
                """
                @available(macOS 99, *)
                enum API {
                    @Cacheable @available(iOS 99, *) enum Mood: String { case calm }
                }
                """,
                """
                @available(macOS 99, *)
                enum API {
                    @available(iOS 99, *) enum Mood: String { case calm 
                }
                }

                @available(macOS 99, *)
                @available(iOS 99, *)
                nonisolated extension API.Mood: GroveCoding.NodeCodable, Swift.Equatable {
                }
                """)
        }

        @Test("A struct")
        func structure() throws {
            try expect(
                """
                @Cacheable
                public struct Message {
                    public let text: String
                    public let id: Int
                    let sender: Person?
                    @CacheIgnored var hits = 0
                }
                """,
                """

                public struct Message {
                    public let text: String
                    public let id: Int
                    let sender: Person?
                    var hits = 0
                }

                nonisolated extension Message: GroveModel.Model, GroveCoding.CacheableModel, GroveCoding.NodeCodable, Swift.Equatable, GroveMacros._CacheableFields {
                    public static var recordName: String {
                        "Message"
                    }

                    public static var projectionName: String {
                        "Message"
                    }

                    public var modelIdentifier: GroveModel.ModelIdentifier? {
                        guard let _id = GroveMacros._CacheableSupport.present(self.id) else {
                            return nil
                        }
                        return GroveMacros._CacheableSupport.identifier("Message:", GroveMacros._CacheableSupport.key(_id))
                    }

                    public func appendIdentifier(to identifier: inout GroveCoding.IdentifierBuffer) -> Bool {
                        guard let _id = GroveMacros._CacheableSupport.present(self.id) else {
                            return false
                        }
                        GroveMacros._CacheableSupport.append("Message:", GroveMacros._CacheableSupport.key(_id), to: &identifier)
                        return true
                    }

                    public static let fields = GroveCoding.FieldTable("id", "text", "sender")

                    public func encodeFields(to _node: inout GroveCoding.NodeEncoder) throws(GroveModel.CacheError) {
                        try _node._encode(self.id, at: 0)
                        try _node._encode(self.text, at: 1)
                        try _node._encode(self.sender, at: 2)
                    }

                    public static func decodeFields(from _node: inout GroveCoding.NodeDecoder) throws(GroveCoding.NodeReadFailure) -> Self {
                        let _0 = try _node._scan(Int.self, at: 0)
                        let _1 = try _node._scan(String.self, at: 1)
                        let _2 = try _node._scan(Person?.self, at: 2)
                        return Self(_grove: (), _0: try _node.finish(_0), _1: try _node.finish(_1), _2: try _node.finish(_2))
                    }

                    public func map(_ transform: (any GroveModel.Model) -> (any GroveModel.Model)?) -> Self? {
                        guard let _0 = GroveMacros._CacheableSupport.map(GroveMacros._CacheableSupport.shape(of: Int.self), self.id, transform) else {
                            return nil
                        }
                        guard let _1 = GroveMacros._CacheableSupport.map(GroveMacros._CacheableSupport.shape(of: String.self), self.text, transform) else {
                            return nil
                        }
                        guard let _2 = GroveMacros._CacheableSupport.map(GroveMacros._CacheableSupport.optional(GroveMacros._CacheableSupport.shape(of: Person.self)), self.sender, transform) else {
                            return nil
                        }
                        var _copy = Self(_grove: (), _0: _0, _1: _1, _2: _2)
                        _copy.hits = self.hits
                        return _copy
                    }

                    public func forEach(_ visit: (any GroveModel.Model) -> Swift.Void) {
                        GroveMacros._CacheableSupport.forEach(GroveMacros._CacheableSupport.shape(of: Int.self), self.id, visit)
                        GroveMacros._CacheableSupport.forEach(GroveMacros._CacheableSupport.shape(of: String.self), self.text, visit)
                        GroveMacros._CacheableSupport.forEach(GroveMacros._CacheableSupport.optional(GroveMacros._CacheableSupport.shape(of: Person.self)), self.sender, visit)
                    }

                    public func replacingChild(at position: Swift.Int, with child: any GroveModel.Model) -> Self? {
                        var _position = position
                        var _0 = self.id
                        if let _fits = GroveMacros._CacheableSupport.replace(GroveMacros._CacheableSupport.shape(of: Int.self), &_0, at: &_position, with: child) {
                            guard _fits else {
                                return nil
                            }
                            var _copy = Self(_grove: (), _0: _0, _1: self.text, _2: self.sender)
                            _copy.hits = self.hits
                            return _copy
                        }
                        var _1 = self.text
                        if let _fits = GroveMacros._CacheableSupport.replace(GroveMacros._CacheableSupport.shape(of: String.self), &_1, at: &_position, with: child) {
                            guard _fits else {
                                return nil
                            }
                            var _copy = Self(_grove: (), _0: self.id, _1: _1, _2: self.sender)
                            _copy.hits = self.hits
                            return _copy
                        }
                        var _2 = self.sender
                        if let _fits = GroveMacros._CacheableSupport.replace(GroveMacros._CacheableSupport.optional(GroveMacros._CacheableSupport.shape(of: Person.self)), &_2, at: &_position, with: child) {
                            guard _fits else {
                                return nil
                            }
                            var _copy = Self(_grove: (), _0: self.id, _1: self.text, _2: _2)
                            _copy.hits = self.hits
                            return _copy
                        }
                        return nil
                    }

                    public func merge(_ model: any GroveModel.Model) -> any GroveModel.Model {
                        let _model = GroveMacros._CacheableSupport.unwrapped(model)
                        if _model is Self {
                            return _model
                        }
                        guard let _other = GroveMacros._CacheableSupport.projection(_model, of: self) else {
                            return self
                        }
                        var _copy = Self(_grove: (), _0: GroveMacros._CacheableSupport.merged(GroveMacros._CacheableSupport.shape(of: Int.self), self.id, _other, "id"), _1: GroveMacros._CacheableSupport.merged(GroveMacros._CacheableSupport.shape(of: String.self), self.text, _other, "text"), _2: GroveMacros._CacheableSupport.merged(GroveMacros._CacheableSupport.optional(GroveMacros._CacheableSupport.shape(of: Person.self)), self.sender, _other, "sender"))
                        _copy.hits = self.hits
                        return _copy
                    }

                    public func cacheableField<Value>(_ name: String, as type: Value.Type) -> Value? {
                        switch name {
                        case "id":
                            GroveMacros._CacheableSupport.field(self.id, as: type)
                        case "text":
                            GroveMacros._CacheableSupport.field(self.text, as: type)
                        case "sender":
                            GroveMacros._CacheableSupport.field(self.sender, as: type)
                        default:
                            nil
                        }
                    }

                    private init(_grove: Swift.Void, _0: Int, _1: String, _2: Person?) {
                        self.id = _0
                        self.text = _1
                        self.sender = _2
                    }

                    public static func == (left: Message, right: Message) -> Bool {
                        guard GroveMacros._CacheableSupport.areEqual(left.id, right.id) else {
                            return false
                        }
                        guard GroveMacros._CacheableSupport.areEqual(left.text, right.text) else {
                            return false
                        }
                        guard GroveMacros._CacheableSupport.areEqual(left.sender, right.sender) else {
                            return false
                        }
                        guard GroveMacros._CacheableSupport.areEqual(left.hits, right.hits) else {
                            return false
                        }
                        return true
                    }

                    private func _groveChecks() {
                        #sourceLocation(file: "test.swift", line: 3)
                        GroveMacros._CacheableSupport
                              .field(GroveMacros._CacheableSupport.coding(Int.self), GroveMacros._CacheableSupport.equality(Int.self))
                        #sourceLocation(file: "test.swift", line: 2)
                        GroveMacros._CacheableSupport
                              .field(GroveMacros._CacheableSupport.coding(String.self), GroveMacros._CacheableSupport.equality(String.self))
                        #sourceLocation(file: "test.swift", line: 4)
                        GroveMacros._CacheableSupport
                       .field(GroveMacros._CacheableSupport.coding(Person?.self), GroveMacros._CacheableSupport.equality(Person?.self))
                        #sourceLocation(file: "test.swift", line: 5)
                        GroveMacros._CacheableSupport.child(Person.self).id
                        #sourceLocation(file: "test.swift", line: 5)
                        GroveMacros._CacheableSupport
                                     .field(equality: GroveMacros._CacheableSupport.equality(Swift.type(of: self.hits)))
                        #sourceLocation()
                    }
                }
                """, beside: "@Cacheable public struct Person { let id: Int }")
        }

        @Test("A type in a namespace: its body names the types that the extension does not see")
        func nested() throws {
            try expect(
                """
                private enum API {
                    @Cacheable
                    struct User {
                        let pets: [Pet?]
                        let next: Box<Self>
                    }
                }
                """,
                """
                private enum API {
                    struct User {
                        let pets: [Pet?]
                        let next: Box<Self>

                        private enum _GroveTypes {
                            typealias _0 = Box<User>
                            typealias _1 = [Pet?]
                            typealias _2 = Pet
                        }
                    }
                }

                nonisolated extension API.User: GroveModel.Model, GroveCoding.CacheableModel, GroveCoding.NodeCodable, Swift.Equatable {
                    fileprivate static var recordName: String {
                        "API.User"
                    }

                    fileprivate static var projectionName: String {
                        "API.User"
                    }

                    fileprivate var modelIdentifier: GroveModel.ModelIdentifier? {
                        nil
                    }

                    fileprivate func appendIdentifier(to identifier: inout GroveCoding.IdentifierBuffer) -> Bool {
                        false
                    }

                    fileprivate static let fields = GroveCoding.FieldTable("next", "pets")

                    fileprivate func encodeFields(to _node: inout GroveCoding.NodeEncoder) throws(GroveModel.CacheError) {
                        try _node._encode(self.next, at: 0)
                        try _node._encode(self.pets, at: 1)
                    }

                    fileprivate static func decodeFields(from _node: inout GroveCoding.NodeDecoder) throws(GroveCoding.NodeReadFailure) -> Self {
                        let _0 = try _node._scan(_GroveTypes._0.self, at: 0)
                        let _1 = try _node._scan(_GroveTypes._1.self, at: 1)
                        return Self(_grove: (), _0: try _node.finish(_0), _1: try _node.finish(_1))
                    }

                    fileprivate func map(_ transform: (any GroveModel.Model) -> (any GroveModel.Model)?) -> Self? {
                        guard let _0 = GroveMacros._CacheableSupport.map(GroveMacros._CacheableSupport.shape(of: _GroveTypes._0.self), self.next, transform) else {
                            return nil
                        }
                        guard let _1 = GroveMacros._CacheableSupport.map(GroveMacros._CacheableSupport.array(GroveMacros._CacheableSupport.optional(GroveMacros._CacheableSupport.shape(of: _GroveTypes._2.self))), self.pets, transform) else {
                            return nil
                        }
                        return Self(_grove: (), _0: _0, _1: _1)
                    }

                    fileprivate func forEach(_ visit: (any GroveModel.Model) -> Swift.Void) {
                        GroveMacros._CacheableSupport.forEach(GroveMacros._CacheableSupport.shape(of: _GroveTypes._0.self), self.next, visit)
                        GroveMacros._CacheableSupport.forEach(GroveMacros._CacheableSupport.array(GroveMacros._CacheableSupport.optional(GroveMacros._CacheableSupport.shape(of: _GroveTypes._2.self))), self.pets, visit)
                    }

                    fileprivate func replacingChild(at position: Swift.Int, with child: any GroveModel.Model) -> Self? {
                        var _position = position
                        var _0 = self.next
                        if let _fits = GroveMacros._CacheableSupport.replace(GroveMacros._CacheableSupport.shape(of: _GroveTypes._0.self), &_0, at: &_position, with: child) {
                            guard _fits else {
                                return nil
                            }
                            return Self(_grove: (), _0: _0, _1: self.pets)
                        }
                        var _1 = self.pets
                        if let _fits = GroveMacros._CacheableSupport.replace(GroveMacros._CacheableSupport.array(GroveMacros._CacheableSupport.optional(GroveMacros._CacheableSupport.shape(of: _GroveTypes._2.self))), &_1, at: &_position, with: child) {
                            guard _fits else {
                                return nil
                            }
                            return Self(_grove: (), _0: self.next, _1: _1)
                        }
                        return nil
                    }

                    private init(_grove: Swift.Void, _0: _GroveTypes._0, _1: _GroveTypes._1) {
                        self.next = _0
                        self.pets = _1
                    }

                    fileprivate static func == (left: API.User, right: API.User) -> Bool {
                        guard GroveMacros._CacheableSupport.areEqual(left.next, right.next) else {
                            return false
                        }
                        guard GroveMacros._CacheableSupport.areEqual(left.pets, right.pets) else {
                            return false
                        }
                        return true
                    }

                    private func _groveChecks() {
                        #sourceLocation(file: "test.swift", line: 4)
                        GroveMacros._CacheableSupport
                           .field(GroveMacros._CacheableSupport.coding(_GroveTypes._0.self), GroveMacros._CacheableSupport.equality(_GroveTypes._0.self))
                        #sourceLocation(file: "test.swift", line: 5)
                            GroveMacros._CacheableSupport.child(_GroveTypes._0.self).id
                        #sourceLocation(file: "test.swift", line: 3)
                        GroveMacros._CacheableSupport
                           .field(GroveMacros._CacheableSupport.coding(_GroveTypes._1.self), GroveMacros._CacheableSupport.equality(_GroveTypes._1.self))
                        #sourceLocation(file: "test.swift", line: 4)
                            GroveMacros._CacheableSupport.child(_GroveTypes._2.self).id
                        #sourceLocation()
                    }
                }
                """,
                beside: "@Cacheable private struct Pet { let id: Int }; private struct Box<T>: Codable, Equatable {}")
        }

        @Test("A final class, with what it declares itself left alone")
        func finalClass() throws {
            try expect(
                """
                @Cacheable(record: "Node", projection: "Small")
                final class Fork {
                    let left: [String: Fork]
                    var modelIdentifier: ModelIdentifier? { nil }
                    func forEach(_ visit: (any Model) -> Void) {}
                    static func == (left: Fork, right: Fork) -> Bool { true }
                }
                """,
                """

                final class Fork {
                    let left: [String: Fork]
                    var modelIdentifier: ModelIdentifier? { nil }
                    func forEach(_ visit: (any Model) -> Void) {}
                    static func == (left: Fork, right: Fork) -> Bool { true }

                    nonisolated private init(_grove: Swift.Void, _0: [String: Fork]) {
                        self.left = _0
                    }
                }

                nonisolated extension Fork: GroveModel.Model, GroveCoding.CacheableModel, GroveCoding.NodeCodable, Swift.Equatable, GroveMacros._CacheableFields {
                    static var recordName: String {
                        "Node"
                    }

                    static var projectionName: String {
                        "Small"
                    }

                    static let fields = GroveCoding.FieldTable("left")

                    func encodeFields(to _node: inout GroveCoding.NodeEncoder) throws(GroveModel.CacheError) {
                        try _node._encode(self.left, at: 0)
                    }

                    static func decodeFields(from _node: inout GroveCoding.NodeDecoder) throws(GroveCoding.NodeReadFailure) -> Self {
                        let _0 = try _node._scan([String: Fork].self, at: 0)
                        return Self(_grove: (), _0: try _node.finish(_0))
                    }

                    func map(_ transform: (any GroveModel.Model) -> (any GroveModel.Model)?) -> Self? {
                        guard let _0 = GroveMacros._CacheableSupport.map(GroveMacros._CacheableSupport.dictionary(GroveMacros._CacheableSupport.shape(of: String.self), GroveMacros._CacheableSupport.shape(of: Fork.self)), self.left, transform) else {
                            return nil
                        }
                        return Self(_grove: (), _0: _0)
                    }

                    func merge(_ model: any GroveModel.Model) -> any GroveModel.Model {
                        let _model = GroveMacros._CacheableSupport.unwrapped(model)
                        if _model is Self {
                            return _model
                        }
                        guard let _other = GroveMacros._CacheableSupport.projection(_model, of: self) else {
                            return self
                        }
                        return Self(_grove: (), _0: GroveMacros._CacheableSupport.merged(GroveMacros._CacheableSupport.dictionary(GroveMacros._CacheableSupport.shape(of: String.self), GroveMacros._CacheableSupport.shape(of: Fork.self)), self.left, _other, "left"))
                    }

                    func cacheableField<Value>(_ name: String, as type: Value.Type) -> Value? {
                        switch name {
                        case "left":
                            GroveMacros._CacheableSupport.field(self.left, as: type)
                        default:
                            nil
                        }
                    }

                    @_implements(Swift.Equatable, ==(_:_:))
                    static func _groveAreEqual(_ left: Fork, _ right: Fork) -> Bool {
                        left == right
                    }

                    private func _groveChecks() {
                        #sourceLocation(file: "test.swift", line: 2)
                        GroveMacros._CacheableSupport
                       .field(coding: GroveMacros._CacheableSupport.coding([String: Fork].self))
                        #sourceLocation(file: "test.swift", line: 3)
                        GroveMacros._CacheableSupport.child(Fork.self).id
                        #sourceLocation()
                    }
                }
                """)
        }

        @Test("Names and default values of fields: only what has them is read in another way")
        func changedFields() throws {
            try expect(
                """
                @Cacheable
                struct Post {
                    let id: Int
                    @CacheField("t", was: "headline", "name") let title: String
                    var views = 0
                    var note: String? = nil
                    func map(_ transform: (any Model) -> (any Model)?) -> Post? { nil }
                    func forEach(_ visit: (any Model) -> Void) {}
                    func merge(_ model: any Model) -> any Model { model }
                    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {}
                    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }
                    var modelIdentifier: ModelIdentifier? { nil }
                    static func == (left: Post, right: Post) -> Bool { true }
                }
                """,
                """
                struct Post {
                    let id: Int
                    let title: String
                    var views = 0
                    var note: String? = nil
                    func map(_ transform: (any Model) -> (any Model)?) -> Post? { nil }
                    func forEach(_ visit: (any Model) -> Void) {}
                    func merge(_ model: any Model) -> any Model { model }
                    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {}
                    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }
                    var modelIdentifier: ModelIdentifier? { nil }
                    static func == (left: Post, right: Post) -> Bool { true }
                }

                nonisolated extension Post: GroveModel.Model, GroveCoding.CacheableModel, GroveCoding.NodeCodable, Swift.Equatable, GroveMacros._CacheableFields {
                    static var recordName: String {
                        "Post"
                    }

                    static var projectionName: String {
                        "Post"
                    }

                    static let fields = GroveCoding.FieldTable("t", "id", "note", "views", was: ["t": ["headline", "name"]])

                    static func decodeFields(from _node: inout GroveCoding.NodeDecoder) throws(GroveCoding.NodeReadFailure) -> Self {
                        let _0 = try _node._scan(String.self, at: 0)
                        let _1 = try _node._scan(Int.self, at: 1)
                        let _2 = try _node._scan(String?.self, at: 2)
                        let _3 = try _node._scanIfPresent(Int.self, at: 3)
                        return Self(_grove: (), _0: try _node.finish(_0), _1: try _node.finish(_1), _2: try _node.finish(_2), _3: try _node.finishIfPresent(_3))
                    }

                    func cacheableField<Value>(_ name: String, as type: Value.Type) -> Value? {
                        switch name {
                        case "t":
                            GroveMacros._CacheableSupport.field(self.title, as: type)
                        case "id":
                            GroveMacros._CacheableSupport.field(self.id, as: type)
                        case "note":
                            GroveMacros._CacheableSupport.field(self.note, as: type)
                        case "views":
                            GroveMacros._CacheableSupport.field(self.views, as: type)
                        default:
                            nil
                        }
                    }

                    private init(_grove: Swift.Void, _0: String, _1: Int, _2: String?, _3: Int?) {
                        self.title = _0
                        self.id = _1
                        self.note = _2
                        if let _3 {
                            self.views = _3
                        }
                    }

                    @_implements(Swift.Equatable, ==(_:_:))
                    static func _groveAreEqual(_ left: Post, _ right: Post) -> Bool {
                        left == right
                    }

                    private func _groveChecks() {
                        #sourceLocation(file: "test.swift", line: 3)
                        GroveMacros._CacheableSupport
                                                                 .field(coding: GroveMacros._CacheableSupport.coding(String.self))
                        #sourceLocation(file: "test.swift", line: 2)
                        GroveMacros._CacheableSupport
                       .field(coding: GroveMacros._CacheableSupport.coding(Int.self))
                        #sourceLocation(file: "test.swift", line: 5)
                        GroveMacros._CacheableSupport
                       .field(coding: GroveMacros._CacheableSupport.coding(String?.self))
                        #sourceLocation(file: "test.swift", line: 4)
                        GroveMacros._CacheableSupport
                       .field(coding: GroveMacros._CacheableSupport.coding(Int.self))
                        #sourceLocation()
                    }
                }
                """)
        }

        @Test("Default values of an enum's labelled payload")
        func payloadDefaults() throws {
            try expect(
                """
                @Cacheable
                enum Shape {
                    case circle(Int = 0, radius: Int, fill: Bool = true)
                    case dot
                    func map(_ transform: (any Model) -> (any Model)?) -> Shape? { nil }
                    func forEach(_ visit: (any Model) -> Void) {}
                    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {}
                    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }
                    var modelIdentifier: ModelIdentifier? { nil }
                    static func == (left: Shape, right: Shape) -> Bool { true }
                }
                """,
                """
                enum Shape {
                    case circle(Int = 0, radius: Int, fill: Bool = true)
                    case dot
                    func map(_ transform: (any Model) -> (any Model)?) -> Shape? { nil }
                    func forEach(_ visit: (any Model) -> Void) {}
                    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {}
                    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }
                    var modelIdentifier: ModelIdentifier? { nil }
                    static func == (left: Shape, right: Shape) -> Bool { true }
                }

                nonisolated extension Shape: GroveModel.Model, GroveCoding.CacheableModel, GroveCoding.NodeCodable, Swift.Equatable {
                    static var recordName: String {
                        "Shape"
                    }

                    static var projectionName: String {
                        "Shape"
                    }

                    static var fields: GroveCoding.FieldTable {
                        .dynamic
                    }

                    static func decodeFields(from _node: inout GroveCoding.NodeDecoder) throws(GroveCoding.NodeReadFailure) -> Self {
                        var _payload = _node.reading(try _node.setAside())
                        switch try _payload.readCaseName() {
                        case "circle":
                            try _payload.beginPayload(_groveCases[0])
                            let _0 = try _payload._scan(Int.self, at: 0)
                            let _2 = try _payload._scanIfPresent(Bool.self, at: 1)
                            let _1 = try _payload._scan(Int.self, at: 2)
                            try _payload.endPayload()
                            let _value0 = try _payload.finish(_0)
                            let _value1 = try _payload.finish(_1)
                            let _value2 = try _payload.finishIfPresent(_2)
                            switch GroveMacros._CacheableSupport.value(Self.circle(_value0, radius: _value1)) {
                            case .circle(_, _, let _default2):
                                return Self.circle(_value0, radius: _value1, fill: _value2 ?? _default2)
                            default:
                                throw GroveCoding.NodeReadFailure.otherShape
                            }
                        case "dot":
                            try _payload.beginPayload(_groveCases[1])
                            try _payload.endPayload()
                            return Self.dot
                        default:
                            throw GroveCoding.NodeReadFailure.otherShape
                        }
                    }

                    private static let _groveCases = [
                        GroveCoding.FieldTable("_0", "fill", "radius"),
                        GroveCoding.FieldTable(),
                    ]

                    @_implements(Swift.Equatable, ==(_:_:))
                    static func _groveAreEqual(_ left: Shape, _ right: Shape) -> Bool {
                        left == right
                    }

                    private func _groveChecks() {
                        #sourceLocation(file: "test.swift", line: 2)
                        GroveMacros._CacheableSupport
                               .field(coding: GroveMacros._CacheableSupport.coding(Int.self))
                        #sourceLocation(file: "test.swift", line: 2)
                        GroveMacros._CacheableSupport
                                                .field(coding: GroveMacros._CacheableSupport.coding(Int.self))
                        #sourceLocation(file: "test.swift", line: 2)
                        GroveMacros._CacheableSupport
                                                           .field(coding: GroveMacros._CacheableSupport.coding(Bool.self))
                        #sourceLocation()
                    }
                }
                """)
        }

        @Test("An enum")
        func enumeration() throws {
            try expect(
                """
                @Cacheable
                enum Item {
                    case person(Person)
                    case note(text: String, by: Person)
                    case none
                }
                """,
                """

                enum Item {
                    case person(Person)
                    case note(text: String, by: Person)
                    case none
                }

                nonisolated extension Item: GroveModel.Model, GroveCoding.CacheableModel, GroveCoding.NodeCodable, Swift.Equatable, GroveMacros._CacheableEnum {
                    static var recordName: String {
                        "Item"
                    }

                    static var projectionName: String {
                        "Item"
                    }

                    var modelIdentifier: GroveModel.ModelIdentifier? {
                        switch self {
                        case .person(let _0):
                            GroveMacros._CacheableSupport.payloadIdentifier(_0)
                        case .note:
                            nil
                        case .none:
                            nil
                        }
                    }

                    func appendIdentifier(to identifier: inout GroveCoding.IdentifierBuffer) -> Bool {
                        false
                    }

                    static var fields: GroveCoding.FieldTable {
                        .dynamic
                    }

                    func encodeFields(to _node: inout GroveCoding.NodeEncoder) throws(GroveModel.CacheError) {
                        switch self {
                        case .person(let _0):
                            _node.writeMapHead(count: 1)
                            _node.write("person")
                            _node.writeMapHead(count: 1)
                            _node.write("_0")
                            try _node._encode(_0)
                        case .note(let _0, let _1):
                            _node.writeMapHead(count: 1)
                            _node.write("note")
                            _node.writeMapHead(count: 2)
                            _node.write("by")
                            try _node._encode(_1)
                            _node.write("text")
                            try _node._encode(_0)
                        case .none:
                            _node.writeMapHead(count: 1)
                            _node.write("none")
                            _node.writeMapHead(count: 0)
                        }
                    }

                    static func decodeFields(from _node: inout GroveCoding.NodeDecoder) throws(GroveCoding.NodeReadFailure) -> Self {
                        var _payload = _node.reading(try _node.setAside())
                        switch try _payload.readCaseName() {
                        case "person":
                            try _payload.beginPayload(_groveCases[0])
                            let _0 = try _payload._scan(Person.self, at: 0)
                            try _payload.endPayload()
                            return Self.person(try _payload.finish(_0))
                        case "note":
                            try _payload.beginPayload(_groveCases[1])
                            let _1 = try _payload._scan(Person.self, at: 0)
                            let _0 = try _payload._scan(String.self, at: 1)
                            try _payload.endPayload()
                            return Self.note(text: try _payload.finish(_0), by: try _payload.finish(_1))
                        case "none":
                            try _payload.beginPayload(_groveCases[2])
                            try _payload.endPayload()
                            return Self.none
                        default:
                            throw GroveCoding.NodeReadFailure.otherShape
                        }
                    }

                    func map(_ transform: (any GroveModel.Model) -> (any GroveModel.Model)?) -> Self? {
                        switch self {
                        case .person(let _0):
                            guard let _new0 = GroveMacros._CacheableSupport.mapPayload(GroveMacros._CacheableSupport.shape(of: Person.self), _0, isNode: cacheablePayload != nil, transform) else {
                                return nil
                            }
                            return Self.person(_new0)
                        case .note(let _0, let _1):
                            guard let _new1 = GroveMacros._CacheableSupport.map(GroveMacros._CacheableSupport.shape(of: Person.self), _1, transform) else {
                                return nil
                            }
                            guard let _new0 = GroveMacros._CacheableSupport.map(GroveMacros._CacheableSupport.shape(of: String.self), _0, transform) else {
                                return nil
                            }
                            return Self.note(text: _new0, by: _new1)
                        case .none:
                            return self
                        }
                    }

                    func forEach(_ visit: (any GroveModel.Model) -> Swift.Void) {
                        if let _node = cacheablePayload {
                            return _node.forEach(visit)
                        }
                        switch self {
                        case .person(let _0):
                            GroveMacros._CacheableSupport.forEach(GroveMacros._CacheableSupport.shape(of: Person.self), _0, visit)
                        case .note(let _0, let _1):
                            GroveMacros._CacheableSupport.forEach(GroveMacros._CacheableSupport.shape(of: Person.self), _1, visit)
                            GroveMacros._CacheableSupport.forEach(GroveMacros._CacheableSupport.shape(of: String.self), _0, visit)
                        case .none:
                            break
                        }
                    }

                    private static let _groveCases = [
                        GroveCoding.FieldTable("_0"),
                        GroveCoding.FieldTable("by", "text"),
                        GroveCoding.FieldTable(),
                    ]

                    func encodeValue(to _encoder: inout GroveCoding.NodeEncoder) throws(GroveModel.CacheError) {
                        switch self {
                        case .person(let _0):
                            if try GroveMacros._CacheableSupport.encodeNode(_0, caseName: "person", to: &_encoder) {
                                return
                            }
                        case .note:
                            break
                        case .none:
                            break
                        }
                        try _encoder.encodeModel(self)
                    }

                    static func decodeValue(from _decoder: inout GroveCoding.NodeDecoder) throws(GroveCoding.NodeReadFailure) -> Self {
                        guard let _reference = try _decoder.readReference() else {
                            return try _decoder.decodeModel(Self.self)
                        }
                        let _caseName: String
                        if let _stored = _reference.caseName {
                            _caseName = _stored
                        } else {
                            _caseName = try GroveMacros._CacheableSupport.caseName(of: _reference, _decoder, [("person", GroveMacros._CacheableSupport.recordName(of: Person.self))])
                        }
                        switch _caseName {
                        case "person":
                            return Self.person(try GroveMacros._CacheableSupport.node(Person.self, _reference, _decoder))
                        default:
                            throw GroveCoding.NodeReadFailure.otherShape
                        }
                    }

                    func merge(_ model: any GroveModel.Model) -> any GroveModel.Model {
                        if model is Self {
                            return model
                        }
                        switch self {
                        case .person(let _0):
                            return GroveMacros._CacheableSupport.mergedPayload(_0, model).map {
                                Self.person($0)
                            } ?? self
                        case .note:
                            return self
                        case .none:
                            return self
                        }
                    }

                    var cacheablePayload: (any GroveModel.Model)? {
                        switch self {
                        case .person(let _0):
                            GroveMacros._CacheableSupport.nodePayload(_0, of: modelIdentifier)
                        case .note:
                            nil
                        case .none:
                            nil
                        }
                    }

                    static func == (left: Item, right: Item) -> Bool {
                        switch (left, right) {
                        case (.person(let _left0), .person(let _right0)):
                            return GroveMacros._CacheableSupport.areEqual(_left0, _right0)
                        case (.note(let _left0, let _left1), .note(let _right0, let _right1)):
                            return GroveMacros._CacheableSupport.areEqual(_left0, _right0) && GroveMacros._CacheableSupport.areEqual(_left1, _right1)
                        case (.none, .none):
                            return true
                        default:
                            return false
                        }
                    }

                    private func _groveChecks() {
                        #sourceLocation(file: "test.swift", line: 2)
                        GroveMacros._CacheableSupport
                               .field(GroveMacros._CacheableSupport.coding(Person.self), GroveMacros._CacheableSupport.equality(Person.self))
                        #sourceLocation(file: "test.swift", line: 3)
                                GroveMacros._CacheableSupport.child(Person.self).id
                        #sourceLocation(file: "test.swift", line: 3)
                        GroveMacros._CacheableSupport
                                   .field(GroveMacros._CacheableSupport.coding(String.self), GroveMacros._CacheableSupport.equality(String.self))
                        #sourceLocation(file: "test.swift", line: 3)
                        GroveMacros._CacheableSupport
                                               .field(GroveMacros._CacheableSupport.coding(Person.self), GroveMacros._CacheableSupport.equality(Person.self))
                        #sourceLocation(file: "test.swift", line: 4)
                                                GroveMacros._CacheableSupport.child(Person.self).id
                        #sourceLocation()
                    }
                }
                """, beside: "@Cacheable struct Person { let id: Int }")
        }
    }
#endif
