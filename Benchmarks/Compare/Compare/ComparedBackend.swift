package import GroveCache
package import GroveModel

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A backend that others made, as a comparison sees it.
package protocol ComparedBackend: Sendable {
    var profile: BackendProfile { get }
    /// The bare engine beside it, in an empty directory; `nil` if there is none to measure.
    func bareEngine(_ directory: String) throws -> BareEngine?
    func open(_ directory: String?, _ budget: CacheBudget, _ now: (@Sendable () -> Date)?) throws(CacheError)
        -> any ToolCache
    func measure<Data>(
        _ run: CompareRun<Data>, _ progress: MeasurementProgress, into report: inout CompareReport
    ) throws
}

/// The calls of an engine without Grove.
package struct BareEngine: Sendable {
    /// Stores records in one transaction.
    let put: @Sendable (_ records: [(key: [UInt8], value: [UInt8])]) throws -> Void
    /// Gets the values of keys in one view, and returns how many bytes they have.
    let get: @Sendable (_ keys: [[UInt8]]) throws -> Int

    package init(
        put: @escaping @Sendable (_ records: [(key: [UInt8], value: [UInt8])]) throws -> Void,
        get: @escaping @Sendable (_ keys: [[UInt8]]) throws -> Int
    ) {
        (self.put, self.get) = (put, get)
    }
}

/// A store of any type in a comparison.
package struct ComparedStore<Store: NodeStore>: ComparedBackend {
    private let options: Store.Options
    private let engine: @Sendable (String) throws -> BareEngine?

    /// - Parameter engine: see ``ComparedBackend/bareEngine(_:)``.
    package init(
        options: Store.Options, engine: @escaping @Sendable (String) throws -> BareEngine? = { _ in nil }
    ) {
        (self.options, self.engine) = (options, engine)
    }

    package var profile: BackendProfile { Store.profile }

    package func bareEngine(_ directory: String) throws -> BareEngine? { try engine(directory) }

    package func open(
        _ directory: String?, _ budget: CacheBudget, _ now: (@Sendable () -> Date)?
    ) throws(CacheError) -> any ToolCache {
        try NormalizedCache<Store>(directory: directory, options: options, policy: .fail, budget: budget, now: now)
    }

    package func measure<Data>(
        _ run: CompareRun<Data>, _ progress: MeasurementProgress, into report: inout CompareReport
    ) throws {
        try run.run(progress, into: &report) {
            try NormalizedCache<Store>(
                directory: Store.profile.isPersistent ? $0 : nil, options: options, budget: $1)
        }
    }
}
