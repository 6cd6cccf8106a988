import TestSupport
import Testing

/// Code as it was written for RocketData and ConsistencyManager, given to the compiler.
@Suite("Members that Grove does not call")
struct RocketDataMembersTests {
    /// What the compiler says to `source`, a line each.
    static func compile(_ source: String) throws -> [Substring] {
        let (said, succeeds) = try SwiftCompiler.check("import Grove\n" + source)
        #expect(succeeds == !said.contains { $0.contains("error:") })
        return said
    }

    static let model = """
        var modelIdentifier: ModelIdentifier? { "a" }
        func map(_ transform: (any Model) -> (any Model)?) -> Self? { self }
        func forEach(_ visit: (any Model) -> Void) {}

        """
    static let failed = """
        func consistencyManager(_ manager: ConsistencyManager, failedWithCriticalError error: any Error) {}

        """
    static let willReplace = """
        func consistencyManager(
            _ manager: ConsistencyManager, willReplaceModel oldModel: any ConsistencyManagerModel,
            withModel newModel: (any ConsistencyManagerModel)?, context: (any Sendable)?
        ) {}

        """

    @Test(
        "A type that still has an old member does not compile, and the compiler says what to write",
        .enabled(if: SwiftCompiler.modules != nil, "needs the built modules beside the tests"),
        arguments: [
            (
                "struct A: Model, Equatable {", model,
                "func mergeModel(_ model: any ConsistencyManagerModel) -> any ConsistencyManagerModel { model }",
                "write merge(_:)"
            ),
            (
                "struct A: Model, Equatable {", model,
                "func isEqualToModel(_ other: any ConsistencyManagerModel) -> Bool { true }",
                "write isEqual(to: any SimpleModel)"
            ),
            (
                "struct A: Model, Equatable {", model, "func isEqual(to model: any Model) -> Bool { true }",
                "write isEqual(to: any SimpleModel)"
            ),
            (
                "public struct A: Equatable { let value = 1 }\nextension A: SimpleModel {",
                "public var modelIdentifier: ModelIdentifier? { nil }\n",
                "public func isEqualToModel(_ other: any Model) -> Bool { true }", "write isEqual(to: any SimpleModel)"
            ),
            (
                "final class A: ConsistencyManagerDelegate {", willReplace,
                "func consistencyManager(_ manager: ConsistencyManager, failedWithCriticalError error: String) {}",
                "does not conform to protocol 'ConsistencyManagerDelegate'"
            ),
            (
                "final class A: ConsistencyManagerDelegate {", failed,
                """
                func consistencyManager(
                    _ manager: ConsistencyManager, willReplaceModel oldModel: any ConsistencyManagerModel,
                    withModel newModel: any ConsistencyManagerModel, context: (any Sendable)?
                ) {}
                """, "does not conform to protocol 'ConsistencyManagerDelegate'"
            ),
        ])
    func refused(head: String, rest: String, old: String, message: String) throws {
        let said = try Self.compile(head + "\n" + rest + old + "\n}")
        #expect(said.contains { $0.contains("error:") && $0.contains(message) }, "\(said.joined(separator: "\n"))")
        let without = try Self.compile(
            head + "\n" + rest + (rest == Self.failed ? Self.willReplace : "")
                + (rest == Self.willReplace ? Self.failed : "") + "}")
        #expect(without.isEmpty, "\(without.joined(separator: "\n"))")
    }
}
