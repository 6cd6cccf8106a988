import GroveModel

/// The requests to the network that are under way, by their numbers and by the keys with which other callers join them.
struct RequestTable {
    /// The number of calls that asked for something, which is the number of the last one.
    private(set) var callCount = 0
    /// All requests under way, by their numbers.
    private(set) var open: [Int: any AnySharedRequest] = [:]
    /// The requests that other callers can join.
    private(set) var shared: [RequestKey: any AnySharedRequest] = [:]

    /// A number for a call.
    mutating func takeNumber() -> Int {
        callCount += 1
        return callCount
    }

    /// Adds a request, which other callers with the key `name` can join.
    mutating func add(_ request: any AnySharedRequest, _ number: Int, _ name: RequestKey) {
        shared[name] = request
        open[number] = request
    }

    /// Takes out a request that has ended.
    mutating func end(_ number: Int, _ name: RequestKey) {
        guard let ended = open.removeValue(forKey: number) else { return }
        // Another request may have followed it.
        if shared[name] === ended { shared[name] = nil }
    }
}
