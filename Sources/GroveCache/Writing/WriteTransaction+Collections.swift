import GroveCoding
import GroveModel

/// Collections inside the transaction that writes: lists that are set as a whole, and edits of lists.
extension WriteTransaction {
    /// Applies `extra` if it sets or edits a collection; if it forgets one, removes the chunks.
    ///
    /// - Returns: `nil` if the rest of it is yet to be done.
    mutating func applyToCollection(
        _ extra: PendingWrite.Extra, _ key: [UInt8], of write: PendingWrite, sequence: CallNumber,
        deletions: [Int: CallNumber]
    ) throws(CacheError) -> RecordUpdate.Outcome? {
        guard key.first == Namespace.collection else { return nil }
        do throws(CacheError) {
            switch extra {
            case .collection(_, let body, let kind):
                return try setCollection(
                    key, body, kind, of: write, sequence: sequence, deletions: deletions)
            case .edit(_, .page(let elements, let place, let fit, _)):
                guard let since = lists.since(write.since(shift), key) else {
                    lists.tell(key, [])
                    return .superseded
                }
                let number = write.asOf?.numbers?.number ?? sequence
                let stored = try transaction.collection(key) ?? place.newList(sequence: number, time: write.time)
                return try editCollection(key, .page(elements, place, fit, since), of: stored, sequence: number)
            case .edit(_, let operation):
                return try editCollection(
                    key, operation, of: try transaction.collection(key), sequence: sequence)
            case .invalidate(_, let why):
                if let number = why.yieldsAfter(shift), let stored = try? transaction.collection(key),
                    stored.sequence > number
                {
                    // It was a miss until now.
                    lists.tell(key, nil)
                    return .superseded
                }
                fallthrough
            default:
                lists.tell(key, nil)
                try removeChunks(of: key)
                return nil
            }
        } catch {
            throw error.concerning(ModelIdentifier(String(decoding: key.dropFirst(), as: UTF8.self)))
        }
    }

    /// Stores `body`, an encoded array, as the list under `key`, a store's key.
    ///
    /// - Parameter deletions: nodes of the call's tree that were deleted before, with the numbers of their deletions. A
    ///   list of the same elements that was set before such a deletion is stored again, for its number.
    mutating func setCollection(
        _ key: [UInt8], _ body: [UInt8], _ kind: WholeList, of write: PendingWrite, sequence: CallNumber,
        deletions: [Int: CallNumber]
    ) throws(CacheError) -> RecordUpdate.Outcome {
        // A model that was deleted since the place that the list is as of does not come back by it.
        let number = write.asOf?.numbers?.number ?? sequence
        var elements = try StoredElements(body: body, number: number)
        let stored = try transaction.collection(key)
        if kind == .fill, let stored {
            let known = try transaction.knownElements(of: stored)
            guard known.whole == nil else {
                lists.tell(key, [])
                return .unchanged
            }
            elements = try known.filled(with: elements)
        }
        let isPage = kind == .page
        let isAnswer = isPage || write.asOf != nil
        // A list of another length need not be read, unless a part of it may stay.
        let before = try stored.flatMap { (stored) throws(CacheError) in
            isAnswer || stored.count == elements.count ? try transaction.elements(of: stored) : nil
        }
        if isAnswer {
            guard let answer = lists.answer(elements, isPage: isPage, key, since: write.since(shift)) else {
                lists.tell(key, [])
                return .superseded
            }
            elements = try answer.settled(over: before, number: number)
        }
        // A list as it was is older than any answer. An answer counts from its request, so one that was asked for later
        // replaces it.
        if kind != .fill { lists.note(key, nil, number) }
        // A model that was deleted since an answer was asked for, and written again, does not show in the answer. Only
        // a read can tell, also if the list comes without its models.
        if isAnswer, write.tree == nil || isNamed(deletions, after: number, in: body, write.tree) {
            lists.tell(key, nil)
        } else {
            lists.tell(key, stored?.count ?? 0, setTo: elements)
        }
        let isSame = before.map { $0.bytes == elements.bytes } ?? false
        if isSame, let stored, let before {
            let oldest = before.numbers.min() ?? stored.sequence
            if !isNamed(deletions, after: oldest, in: body, write.tree) { return try confirm(key, stored, write.time) }
        }
        if let head = stored?.head { try remove(chunksOf: head) }
        try store(elements, key, sequence: sequence, time: write.time > 0 ? write.time : stored?.time ?? 0)
        // A list that says the same now shows models that were deleted before and are written again.
        return .replaced(bodyChanged: true)
    }

    /// Applies `operation` to `stored`, the list under `key`, a store's key.
    ///
    /// - Throws: as ``editCollection(_:_:of:sequence:)`` of an edit by position, and `outOfRange` if `stored` is `nil`.
    mutating func editCollection(
        _ key: [UInt8], _ operation: ListOperation, of stored: StoredCollection?, sequence: CallNumber
    ) throws(CacheError) -> RecordUpdate.Outcome {
        guard var list = stored else {
            throw CacheError(.outOfRange, "There is no such collection; write it before it is edited.")
        }
        if case .refer(let elements, _) = operation { try checkReferences(elements) }
        var finder = ElementFinder(list, in: transaction)
        let edits = try operation.resolved(in: &finder)
        if edits.isEmpty { lists.tell(key, []) }
        // An edit that changes nothing wins over an answer that was asked for before it, too.
        if lists.isLogged {
            // Beside a part that was lost nothing can be named: an answer that was asked for before undoes this edit.
            let isPage = if case .page = operation { true } else { false }
            for edit in (try? operation.anchored(in: &finder)) ?? [] {
                lists.note(key, edit, sequence, isPage: isPage)
            }
        }
        for (index, edit) in edits.enumerated() {
            if index > 0, let next = try transaction.collection(key) { list = next }
            if lists.isTold {
                var moved: ElementName?
                if case .move(let from, _) = edit { moved = try finder.name(at: from) }
                lists.tell(key, edit.splices(list.count, moved: moved))
            }
            _ = try editCollection(key, edit, of: list, sequence: sequence)
        }
        return edits.isEmpty ? .unchanged : .replaced(bodyChanged: true)
    }

    /// - Throws: ``CacheError`` with code `missing` if one of `elements` is of a model that is not stored, or is
    ///   deleted.
    private func checkReferences(_ elements: StoredElements) throws(CacheError) {
        for identifier in elements.identifiers ?? [] {
            let flags = try unsafe ([Namespace.node] + Array(identifier.rawValue.utf8)).withUnsafeBytesTyped {
                (key) throws(CacheError) in
                try unsafe transaction.get(key).flatMap { unsafe RecordGlance($0)?.flags }
            }
            guard let flags else { throw CacheError(CacheMiss(.absent, identifier)) }
            guard !flags.contains(.tombstone) else { throw CacheError(CacheMiss(.deleted, identifier)) }
        }
    }

    /// Applies `edit` to `stored`, the list under `key`, a store's key.
    ///
    /// A list that is edited keeps its time: the edit does not confirm the elements that were there before.
    ///
    /// - Complexity: O(*m* + *n* / 128) for *m* elements that the edit is about, of *n*.
    /// - Throws: ``CacheError`` with code `outOfRange` if the list has no such position, or if a part of it that the
    ///   edit needs was lost. Then nothing was stored.
    mutating func editCollection(
        _ key: [UInt8], _ edit: CollectionEdit, of stored: StoredCollection, sequence: CallNumber
    ) throws(CacheError) -> RecordUpdate.Outcome {
        var stored = stored
        // A later call may have come first; the list must not become older by this one.
        let version = max(stored.sequence, sequence)
        switch stored.content {
        case .elements where edit.opensGap:
            try openGap(key, edit, of: stored, sequence: version)
        case .elements(var elements):
            edit.apply(to: &elements, number: sequence)
            try store(elements, key, sequence: version, time: stored.time)
        case .chunks(var head):
            try apply(edit, to: &head, number: sequence)
            stored.content = .chunks(head)
            if head.count < CollectionHead.fewElements, let elements = try transaction.elements(of: stored) {
                try remove(chunksOf: head)
                stored.content = .elements(elements)
            }
            try store(stored, key, sequence: version, time: stored.time)
        }
        return .replaced(bodyChanged: true)
    }

    /// Takes the node of `identifier` out of every collection of which it is an element.
    ///
    /// A list of which a part was lost, or that a later version wrote, stays as it is.
    ///
    /// - Complexity: one pass over all collections.
    /// - Returns: the keys of the collections that had it.
    mutating func removeFromCollections(
        _ identifier: ModelIdentifier, sequence: CallNumber
    ) throws(CacheError) -> [ModelIdentifier] {
        var keys: [[UInt8]] = []
        try unsafe [Namespace.collection].withUnsafeBytesTyped { (prefix) throws(CacheError) in
            try unsafe transaction.scan(prefix: prefix) { key, _ in
                unsafe keys.append(Array(key))
                return true
            }
        }
        var changed: [ModelIdentifier] = []
        let name = ElementName(identifier)
        for key in keys {
            guard let elements = try knownElements(key),
                (0..<elements.count).contains(where: { elements.isNamed(name, at: $0) })
            else { continue }
            _ = try editCollection(
                key, .remove([name]), of: try transaction.collection(key), sequence: sequence)
            changed.append(ModelIdentifier(String(decoding: key.dropFirst(), as: UTF8.self)))
        }
        return changed
    }

    /// All elements of the list under `key`; `nil` if a part of it was lost, or a later version wrote it.
    private func knownElements(_ key: [UInt8]) throws(CacheError) -> StoredElements? {
        do throws(CacheError) {
            return try transaction.collection(key).flatMap { (list) throws(CacheError) in
                try transaction.elements(of: list)
            }
        } catch {
            guard error.code == .unsupportedFormat else { throw error }
            return nil
        }
    }

    /// Removes the chunks of the collection under `key`, a store's key, if it has any.
    mutating func removeChunks(of key: [UInt8]) throws(CacheError) {
        if let head = try head(key) { try remove(chunksOf: head) }
    }

    /// The head of the collection under `key`; `nil` if that has no chunks, or a later version wrote it.
    func head(_ key: [UInt8]) throws(CacheError) -> CollectionHead? {
        do throws(CacheError) {
            return try transaction.collection(key)?.head
        } catch {
            guard error.code == .unsupportedFormat else { throw error }
            return nil
        }
    }

    // MARK: The whole list

    /// Stores `elements` as the whole list under `key`, which has no chunks now.
    private mutating func store(
        _ elements: StoredElements, _ key: [UInt8], sequence: CallNumber, time: UInt32
    ) throws(CacheError) {
        let list: StoredCollection
        if elements.count <= CollectionHead.mostElements {
            list = StoredCollection(.elements(elements), sequence: sequence, time: time)
        } else {
            var head = CollectionHead(key, sequence: sequence)
            try replace(0..<0, with: elements.parts(areLast: true), in: &head)
            try storeName(of: key, head, sequence: sequence)
            list = StoredCollection(.chunks(head), sequence: sequence, time: time)
        }
        try store(list, key, sequence: sequence, time: time)
    }

    mutating func store(
        _ list: StoredCollection, _ key: [UInt8], sequence: CallNumber, time: UInt32
    ) throws(CacheError) {
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
            try unsafe store(key) { (out) throws(CacheError) in
                try unsafe list.build(into: &out, key: key, sequence: sequence, time: time)
            }
        }
    }

    /// Renews the time of a list that was set to the same elements, if that is due.
    private mutating func confirm(
        _ key: [UInt8], _ stored: StoredCollection, _ time: UInt32
    ) throws(CacheError) -> RecordUpdate.Outcome {
        for key in [key] + (stored.head?.chunkKeys ?? []) {
            unsafe key.withUnsafeBytes { unsafe confirm($0) }
        }
        guard let renewal, RenewalInterval.isDue(stored.time, at: time, every: renewal) else { return .unchanged }
        try store(stored, key, sequence: stored.sequence, time: time)
        return .renewed
    }

    private func isNamed(
        _ deletions: [Int: CallNumber], after sequence: CallNumber, in body: [UInt8], _ tree: NodeTree?
    ) -> Bool {
        guard let tree, !deletions.isEmpty else { return false }
        return unsafe body.withUnsafeBytes { unsafe names(deletions, after: sequence, in: $0, tree) }
    }
}
