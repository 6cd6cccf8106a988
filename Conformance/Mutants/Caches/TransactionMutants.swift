import GroveCache
import GroveCoding
import GroveConformance
import GroveModel

/// Each call of a transaction is a commit of its own.
// SAFETY: it adds nothing to its sendable base class.
final class CommitsInPieces: ForwardingCache, @unchecked Sendable {
    override func transact<Value>(_ body: (any ConformanceTransaction) throws -> Value) throws -> Value {
        try body(SingleCalls(base))
    }
}

/// An update reads, and writes what it read in a commit of its own.
// SAFETY: it adds nothing to its sendable base class.
final class UpdatesInTwoSteps: ForwardingCache, @unchecked Sendable {
    override func update<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, _ change: (inout M) -> Void
    ) throws -> WrittenChanges {
        switch try base.read(identifier, as: type) {
        case .miss(let miss): throw CacheError(miss)
        case .hit(var model):
            change(&model)
            return try base.write(model)
        }
    }
}

/// An update of a model that is not there does nothing.
// SAFETY: it adds nothing to its sendable base class.
final class UpdatesNothing: ForwardingCache, @unchecked Sendable {
    override func update<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, _ change: (inout M) -> Void
    ) throws -> WrittenChanges {
        do {
            return try base.update(identifier, as: type, change)
        } catch let error as CacheError where error.code == .missing {
            return WrittenChanges()
        }
    }
}

/// A transaction's body runs twice.
// SAFETY: it adds nothing to its sendable base class.
final class RunsTwice: ForwardingCache, @unchecked Sendable {
    override func transact<Value>(_ body: (any ConformanceTransaction) throws -> Value) throws -> Value {
        try base.transact { transaction in
            _ = try body(transaction)
            return try body(transaction)
        }
    }
}

/// Each read of a view is of its own moment.
// SAFETY: it adds nothing to its sendable base class.
final class ReadsManyMoments: ForwardingCache, @unchecked Sendable {
    override func view<Value>(_ body: (any ConformanceView) throws -> Value) throws -> Value {
        try body(SingleCalls(base))
    }
}

/// All models of a type are all but the last one.
// SAFETY: it adds nothing to its sendable base class.
final class ListsAllButOne: ForwardingCache, @unchecked Sendable {
    private struct Short: ConformanceView {
        let view: any ConformanceView

        func read<M: CacheableModel>(_ identifier: ModelIdentifier, as type: M.Type) throws(CacheError) -> CacheRead<M>
        {
            try view.read(identifier, as: type)
        }

        func readCollection<M: CacheableModel>(
            _ key: String, as type: M.Type
        ) throws(CacheError) -> CacheRead<ReadElements<M>> {
            try view.readCollection(key, as: type)
        }

        func readCollection<M: CacheableModel>(
            _ key: String, as type: M.Type, in range: Range<Int>
        ) throws(CacheError) -> CacheRead<ReadElements<M>> {
            try view.readCollection(key, as: type, in: range)
        }

        func count(ofCollection key: String) throws(CacheError) -> Int? { try view.count(ofCollection: key) }

        func models<M: CacheableModel>(_ type: M.Type) throws(CacheError) -> [M] { try view.models(type).dropLast() }
    }

    override func view<Value>(_ body: (any ConformanceView) throws -> Value) throws -> Value {
        try base.view { view in try body(Short(view: view)) }
    }
}

/// A transaction's last write is evicted by its own commit.
// SAFETY: it adds nothing to its sendable base class.
final class ForgetsItsTransaction: ForwardingCache, @unchecked Sendable {
    override func transact<Value>(_ body: (any ConformanceTransaction) throws -> Value) throws -> Value {
        var last: ModelIdentifier?
        let value = try base.transact { transaction in
            let noting = NotingTransaction(transaction)
            defer { last = noting.last }
            return try body(noting)
        }
        if let last { try base.evict(last) }
        return value
    }
}

/// A transaction may name a few hundred nodes, whether they change or not.
// SAFETY: it adds nothing to its sendable base class.
final class CountsUnchanged: ForwardingCache, @unchecked Sendable {
    override func transact<Value>(_ body: (any ConformanceTransaction) throws -> Value) throws -> Value {
        try base.transact { transaction in try body(NotingTransaction(transaction, most: 300)) }
    }
}

/// A transaction that notes what it wrote last, and refuses more nodes than it may be given.
private final class NotingTransaction: ConformanceTransaction {
    let transaction: any ConformanceTransaction
    var last: ModelIdentifier?
    private var count = 0
    private let most: Int

    init(_ transaction: any ConformanceTransaction, most: Int = .max) {
        self.transaction = transaction
        self.most = most
    }

    func read<M: CacheableModel>(_ identifier: ModelIdentifier, as type: M.Type) throws(CacheError) -> CacheRead<M> {
        try transaction.read(identifier, as: type)
    }

    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        try transaction.readCollection(key, as: type)
    }

    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        try transaction.readCollection(key, as: type, in: range)
    }

    func count(ofCollection key: String) throws(CacheError) -> Int? { try transaction.count(ofCollection: key) }

    func models<M: CacheableModel>(_ type: M.Type) throws(CacheError) -> [M] { try transaction.models(type) }

    func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        last = models.last?.modelIdentifier
        count += models.count
        guard count <= most else { throw CacheError(.tooLarge, "The transaction names too many nodes.") }
        return try transaction.write(contentsOf: models)
    }

    func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String
    ) throws(CacheError) -> WrittenChanges {
        try transaction.writeCollection(elements, forKey: key)
    }

    func edit<M: CacheableModel>(
        _ key: String, _ edit: CollectionEdit<M>
    ) throws(CacheError) -> WrittenChanges {
        try transaction.edit(key, edit)
    }

    func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders
    ) throws(CacheError) -> WrittenChanges {
        try transaction.delete(identifier, removingFrom: holders)
    }

    func delete<M: CacheableModel>(allOf type: M.Type) throws(CacheError) -> WrittenChanges {
        try transaction.delete(allOf: type)
    }

    func keep(_ bytes: [UInt8]?, as name: String) throws(CacheError) { try transaction.keep(bytes, as: name) }
}
