package import Testing

/// Expects that two values are equal: inside a closure that may throw, where `#expect(try …)` is not seen as throwing.
package func expectEqual<Value: Equatable>(
    _ value: Value, _ expected: Value, _ location: SourceLocation = #_sourceLocation
) {
    #expect(value == expected, sourceLocation: location)
}
