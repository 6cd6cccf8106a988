import GroveModel

/// The lives of the data, each the time between two wipes: those that one manager began, and the cache's that it knows.
struct Lives: Sendable {
    /// The number of wipes by the manager: a call that began before one brings nothing after it.
    ///
    /// All calls take their places in order under this lock.
    let epoch = Lock(0)
    /// The number of wipes by the manager that have not reached the cache.
    let wipesUnderWay = Lock(0)
    /// The cache's life when the manager last looked.
    let known = Lock(LifeID.none)
    /// The life of the cache that the data shown are of.
    let shown = Lock(LifeID.none)

    /// Notes the cache's present life; returns whether another one was known.
    func note(_ now: LifeID, isShown: Bool) -> Bool {
        if isShown { shown.withLock { $0 = now } }
        return known.withLock { known in
            defer { known = now }
            return known != now
        }
    }
}
