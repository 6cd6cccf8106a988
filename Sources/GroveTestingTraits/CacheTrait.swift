@_exported public import GroveTesting
public import Testing

/// A trait that gives each test, and each case of a test with arguments, a cache of its own.
///
/// ```swift
/// @Test(.cache) func age() throws {
///     let fixture = try #require(CacheFixture.current)
/// }
/// ```
///
/// The tasks that the test makes inherit ``CacheFixture/current``; detached ones do not.
public struct CacheTrait: TestTrait, SuiteTrait, TestScoping {
    /// Whether the tests of a suite have the trait too: they do.
    public var isRecursive: Bool { true }

    /// Makes a cache, runs the test with it, and closes the cache.
    ///
    /// - Throws: the errors of opening the cache, and the error of the test.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A suite has no case: its tests have a cache each.
        guard testCase != nil else { return try await function() }
        let fixture = try CacheFixture()
        defer { fixture.cache.close() }
        try await CacheFixture.$current.withValue(fixture) { try await function() }
    }
}

extension Trait where Self == CacheTrait {
    /// A cache for each test: ``CacheFixture/current``.
    public static var cache: Self { Self() }
}
