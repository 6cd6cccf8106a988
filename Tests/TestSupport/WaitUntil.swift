package import Testing

/// Returns once `isTrue`; if that takes more than ten minutes, it notes a failure and returns.
package func waitUntil(
    _ isTrue: () throws -> Bool, isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation
) async rethrows {
    let end = ContinuousClock.now + .seconds(600)
    while try !isTrue() {
        guard ContinuousClock.now < end else {
            Issue.record("What is waited for has not happened within ten minutes.", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
