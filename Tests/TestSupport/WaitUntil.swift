package import Testing

/// Returns once `isTrue`; if that takes more than a minute, it notes a failure and returns.
package func waitUntil(
    _ isTrue: () throws -> Bool, isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation
) async rethrows {
    let end = ContinuousClock.now + .seconds(60)
    while try !isTrue() {
        guard ContinuousClock.now < end else {
            Issue.record("What is waited for has not happened within a minute.", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
