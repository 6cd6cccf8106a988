package import GroveCache
import TestSupport
import Testing

/// What every store promises, as tests that each backend's target runs on its own store.
///
/// ```swift
/// @Test("LMDB keeps the contract", arguments: StoreContract<LMDBStore>.checks)
/// func contract(_ check: StoreContract<LMDBStore>.Check) async throws {
///     try await check { path in try LMDBStore(directory: path, options: LMDBOptions()) }
/// }
/// ```
///
/// The conformance kit's rules STO-01 to STO-11 run on every store too; what is checked here goes beyond them.
package struct StoreContract<Store: NodeStore>: Sendable {
    /// One promise.
    package struct Check: Sendable, CustomTestStringConvertible {
        /// The promise, in a sentence.
        package let testDescription: String
        private let body: @Sendable (StoreContract) async throws -> Void

        init(_ promise: String, _ body: @escaping @Sendable (StoreContract) async throws -> Void) {
            testDescription = promise
            self.body = body
        }

        /// Checks the promise on stores that `opening` opens, in a directory of its own.
        ///
        /// - Parameter opening: opens the store in a directory; one that is not persistent is new each time.
        package func callAsFunction(
            opening: @escaping @Sendable (_ path: String?) throws -> Store
        ) async throws {
            try await body(StoreContract(directory: TemporaryDirectory(), opening: opening))
        }
    }

    let directory: TemporaryDirectory
    let opening: @Sendable (_ path: String?) throws -> Store

    func open() throws -> Store { try opening(directory.path) }

    /// The promises that `Store` makes, as its profile says.
    package static var checks: [Check] {
        contentChecks + transactionChecks + programChecks + lifeChecks
            + (Store.profile.isPersistent ? directoryChecks : [])
    }
}
