import Dispatch
import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

import Foundation

/// A view that has ended is kept: another one is open from then on.
// SAFETY: it adds nothing to its sendable base class.
final class KeepsViews: ForwardingCache, @unchecked Sendable {
    override func view<Value>(_ body: (any ConformanceView) throws -> Value) throws -> Value {
        let (base, isOpen) = (base, DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? base.view { _ in
                isOpen.signal()
                DispatchSemaphore(value: 0).wait()
            }
            isOpen.signal()
        }
        isOpen.wait()
        return try base.view(body)
    }
}

/// What was set by this handle is read, whatever others wrote since.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class OwnCallsWin: ForwardingCache, @unchecked Sendable {
    private let own = Mutex<[ModelIdentifier: any SimpleModel]>([:])

    override func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        if let identifier = model.modelIdentifier { own.withLock { $0[identifier] = model } }
        base.setModel(model, forKey: cacheKey, context: context)
    }

    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        if let own = own.withLock({ $0[identifier] }) as? M { return .hit(own) }
        return try base.read(identifier, as: type)
    }
}

/// A change set without a number above those that were told is passed over, whatever store it is of.
// SAFETY: it adds nothing to its sendable base class.
final class ComparesNumbers: ForwardingCache, @unchecked Sendable {
    /// The number that was told last.
    private final class Told: Sendable {
        let number = Mutex(CommitNumber.zero)

        /// Whether `number` is above it, which it is from then on.
        func isPassed(by number: CommitNumber) -> Bool {
            self.number.withLock { last in
                defer { last = max(last, number) }
                return number > last
            }
        }
    }

    override func changes() throws(CacheError) -> ChangeReader {
        let (reader, told) = (try base.changes(), Told())
        return ChangeReader {
            while let set = await reader.next() {
                if !set.changesEverything, told.isPassed(by: set.commitNumber) { return set }
            }
            return nil
        }
    }
}
