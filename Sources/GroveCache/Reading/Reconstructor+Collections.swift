import GroveCoding
import GroveModel

/// Collections inside a read: a page reads the head of its list and the chunks that it touches.
extension Reconstructor {
    /// The collection under `key`, or the elements at the positions of `range`, as far as it has them.
    ///
    /// - Complexity: O(*n*) store reads for *n* references in the trees of the page.
    func collection<M: CacheableModel>(
        _ type: M.Type, _ key: ModelIdentifier, in range: Range<Int>? = nil, _ missing: MissingElements
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        guard let list = try list(key) else { return .miss(CacheMiss(absence, key)) }
        var page = Page<M>(list: key, missing: missing)
        do throws(NodeReadFailure) {
            try read(list, key, in: range, into: &page)
        } catch {
            return .miss(try miss(error, at: key))
        }
        var read = CollectionRead(
            elements: page.elements, skipped: page.skipped, gaps: page.gaps,
            nextRange: CollectionRead<M>.nextRange(after: range, of: page.count))
        read.hidden = page.hidden
        if case .folded = list { read.isCommitted = false }
        return .hit(read)
    }

    /// The number of elements of the collection under `key`, deleted ones included.
    ///
    /// - Parameter isKnown: whether those are counted that are known, if the list has a gap without a length; else it
    ///   is a miss.
    /// - Complexity: O(1) store reads.
    func count(ofCollection key: ModelIdentifier, isKnown: Bool) throws(CacheError) -> CacheRead<Int> {
        guard let list = try list(key) else { return .miss(CacheMiss(absence, key)) }
        let (count, hasGap): (Int, Bool)
        do throws(NodeReadFailure) {
            switch list {
            case .folded(let elements): (count, hasGap) = (elements.count, !elements.gaps.isEmpty)
            case .record(let header) where header.flags.contains(.chunks):
                let head = try CollectionHead(header)
                (count, hasGap) = (head.count, head.hasGap)
            case .record(let header):
                var decoder = unsafe NodeDecoder(header.body, source: self, isStable: true)
                (count, hasGap) = (try decoder.readArrayHead(), false)
            }
        } catch {
            return .miss(try miss(error, at: key))
        }
        return isKnown || !hasGap ? .hit(count) : .miss(CacheMiss(.gap, key))
    }

    /// The first position of the node of `identifier` in the collection under `key`, or the one nearest to `position`.
    func index(
        of identifier: ModelIdentifier, in key: ModelIdentifier, near position: Int? = nil
    ) throws(CacheError) -> CacheRead<Int> {
        guard let list = try list(key) else { return .miss(CacheMiss(absence, key)) }
        var finder: ElementFinder
        do throws(NodeReadFailure) {
            switch list {
            case .folded(let elements): finder = ElementFinder(elements)
            case .record(let header):
                guard let view = unsafe state.pointee.basis.view else { return .miss(CacheMiss(.absent, key)) }
                finder = ElementFinder(try StoredCollection(header), in: view)
            }
        } catch {
            return .miss(try miss(error, at: key))
        }
        do throws(CacheError) {
            let found = try finder.find(
                ListOperation.Element(name: ElementName(identifier), position: position))
            return found.map { .hit($0) }
                ?? .miss(finder.gaps.isEmpty ? CacheMiss(.absent, identifier) : CacheMiss(.gap, key))
        } catch {
            guard error.code == .outOfRange else { throw error }
            return .miss(CacheMiss(.gap, key))
        }
    }

    /// A list as the read finds it.
    private enum List {
        /// As it is stored: the record of all of it, or of its head.
        case record(RecordHeader)
        /// As queued calls leave it.
        case folded(StoredElements)
    }

    private func list(_ key: ModelIdentifier) throws(CacheError) -> List? {
        if let pending = unsafe state.pointee.basis.pending {
            unsafe key.withUTF8 { unsafe state.pointee.key.set(Namespace.collection, $0) }
            if unsafe state.pointee.basis.readsCommittedLists {
                guard unsafe !pending.isLost(state.pointee.key.bytes) else {
                    unsafe state.pointee.absence = .invalidated
                    return nil
                }
                return try value(Namespace.collection, key).map { .record($0) }
            }
            let updates = try unsafe state.pointee.basis.collectionUpdates(of: state.pointee.key.bytes)
            if !updates.isEmpty { return unsafe try state.pointee.fold(updates, pending.lists).map { .folded($0) } }
        }
        return try value(Namespace.collection, key).map { .record($0) }
    }

    /// The part of a list that was read.
    private struct Page<M> {
        let list: ModelIdentifier
        let missing: MissingElements
        var elements: [M] = []
        var skipped: [CacheMiss] = []
        /// Positions of the elements that are left out.
        var hidden: [HiddenElement] = []
        /// Positions whose elements are not there.
        var gaps: [Range<Int>] = []
        /// The number of known elements of the list.
        var count = 0
        /// The position of the next element.
        var position = 0

        /// Passes over the elements at `positions`, which are not there for the reason `miss`.
        mutating func pass(_ positions: Range<Int>, _ miss: CacheMiss.Reason = .gap) throws(NodeReadFailure) {
            guard missing == .skip else { throw .miss(CacheMiss(miss, list)) }
            hidden += positions.map { HiddenElement($0, nil) }
            if let last = gaps.last, !last.isEmpty, !positions.isEmpty, last.upperBound == positions.lowerBound {
                gaps[gaps.count - 1] = last.lowerBound..<positions.upperBound
            } else {
                gaps.append(positions)
            }
        }

        /// Passes over a gap without a length before `position`, if `range` has that position: a gap between two pages
        /// belongs to the second.
        mutating func passGap(
            at position: Int, in range: Range<Int>?
        ) throws(NodeReadFailure) {
            guard let range else { return try pass(position..<position) }
            let isInside = range.contains(position) || position == count && range.upperBound >= count
            if isInside { try pass(position..<position) }
        }
    }

    /// Decodes the elements of `list` at the positions of `range`, as far as there are any, one after the other.
    private func read<M: CacheableModel>(
        _ list: List, _ key: ModelIdentifier, in range: Range<Int>?, into page: inout Page<M>
    ) throws(NodeReadFailure) {
        unsafe state.pointee.descent.enterList()
        defer { unsafe state.pointee.descent.leaveList() }
        switch list {
        case .folded(let elements):
            let bytes = unsafe elements.bytes.withUnsafeBytes { unsafe keep($0) }
            let table = unsafe ReferenceRuns.table(of: elements.numbers).withUnsafeBytes { unsafe keep($0) }
            let decoder = unsafe NodeDecoder(bytes, source: self, isStable: true)
            let part = (range ?? 0..<elements.count).clamped(to: 0..<elements.count)
            page.count = elements.count
            let runs = unsafe ReferenceRuns(table: table)
            var start = 0
            for gap in elements.gaps {
                let positions = part.clamped(to: start..<gap)
                page.position = positions.lowerBound
                try decode(positions, decoder, runs, into: &page)
                try page.passGap(at: gap, in: range)
                start = gap
            }
            let positions = part.clamped(to: start..<elements.count)
            page.position = positions.lowerBound
            try decode(positions, decoder, runs, into: &page)
        case .record(let header) where header.flags.contains(.chunks):
            let head = try CollectionHead(header)
            page.count = head.count
            var start = 0
            for chunk in head.chunks {
                let positions = start..<start + chunk.count
                start = positions.upperBound
                if chunk.isGap { try page.passGap(at: start, in: range) }
                let part = (range ?? positions).clamped(to: positions)
                guard !part.isEmpty else { continue }
                let mark = unsafe state.pointee.arena.mark
                switch try record(of: chunk, in: head, key) {
                case .miss(let reason): try page.pass(part, reason)
                case .hit(let header):
                    let offset = positions.lowerBound
                    page.position = offset
                    try read(header, part.lowerBound - offset..<part.upperBound - offset, into: &page)
                }
                unsafe state.pointee.arena.release(to: mark)
            }
        case .record(let header): try read(header, range, into: &page)
        }
    }

    private func read<M: CacheableModel>(
        _ header: RecordHeader, _ range: Range<Int>?, into page: inout Page<M>
    ) throws(NodeReadFailure) {
        var decoder = unsafe NodeDecoder(header.body, source: self, isStable: true)
        let count = try decoder.readArrayHead()
        let part = (range ?? 0..<count).clamped(to: 0..<count)
        page.count = max(page.count, count)
        page.position += part.lowerBound
        try decode(part, decoder, ReferenceRuns(header), into: &page)
    }

    /// Decodes the elements of `range` among those at `decoder`, each as of the call that put it there.
    ///
    /// They are made in the memory of an array: code that is not specialised for a type asks for the array's in every
    /// call that appends to one.
    private func decode<M: CacheableModel>(
        _ range: Range<Int>, _ decoder: NodeDecoder, _ runs: ReferenceRuns, into page: inout Page<M>
    ) throws(NodeReadFailure) {
        var (decoder, runs) = (decoder, runs)
        for _ in 0..<range.lowerBound {
            _ = try runs.next()
            try decoder.skip()
        }
        var failure: NodeReadFailure?
        // With no capacity the count would be written into the empty array that all threads share.
        let elements = unsafe [M](unsafeUninitializedCapacity: max(range.count, 1)) { memory, count in
            guard let first = memory.baseAddress else { return }
            do throws(NodeReadFailure) {
                for position in page.position..<page.position + range.count {
                    let number = try runs.next()
                    guard number != StoredElements.lostNumber else {
                        try page.pass(position..<position + 1)
                        try decoder.skip()
                        continue
                    }
                    unsafe state.pointee.descent.places.holder.sequence = number
                    let start = decoder
                    do throws(NodeReadFailure) {
                        unsafe (first + count).initialize(to: try M.decodeValue(from: &decoder))
                        count += 1
                    } catch {
                        decoder = start
                        try decoder.skip()
                        switch error {
                        case .deleted: break
                        case .miss(let miss) where page.missing == .skip: page.skipped.append(miss)
                        default: throw error
                        }
                        let isAwaited =
                            if case .deleted = error { unsafe state.pointee.deletion.mayReturn } else { false }
                        let missing = unsafe isAwaited ? text(state.pointee.deletion.identifier) : nil
                        page.hidden.append(
                            HiddenElement(position, Reconstructor.identifier(start), awaits: missing))
                    }
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        if page.elements.isEmpty { page.elements = elements } else { page.elements += elements }
    }

    /// The identifier of the element at `decoder`; `nil` if it has none.
    private static func identifier(_ decoder: NodeDecoder) -> ModelIdentifier? {
        var decoder = decoder
        guard let reference = try? decoder.readReference() else { return nil }
        return unsafe ModelIdentifier(String(decoding: reference.identifierBytes, as: UTF8.self))
    }

    /// A chunk, or why it is not there.
    private enum FoundChunk {
        case hit(RecordHeader)
        case miss(CacheMiss.Reason)
    }

    /// The record of `chunk`, checked; its bytes stay until the arena is released below them.
    ///
    /// - Returns: why there is none, if it was lost, is damaged, or is not the one that `head` means.
    private func record(
        of chunk: CollectionHead.Chunk, in head: CollectionHead, _ name: ModelIdentifier
    ) throws(NodeReadFailure) -> FoundChunk {
        let key = head.key(of: chunk.number)
        unsafe key.withUnsafeBytes { key in
            unsafe state.pointee.key.set(Namespace.chunk, UnsafeRawBufferPointer(rebasing: key[1...]))
        }
        do {
            let view = unsafe state.pointee.basis.view
            guard let stored = try unsafe view?.get(state.pointee.key.bytes) else { return .miss(.gap) }
            noteTouch()
            let bytes = unsafe state.pointee.basis.keepsBytes ? stored : keep(stored)
            let header = try unsafe RecordHeader(bytes, key: state.pointee.key.bytes)
            var decoder = unsafe NodeDecoder(header.body, source: self, isStable: true)
            guard try decoder.readArrayHead() == chunk.count else { throw NodeReadFailure.corrupted }
            return .hit(header)
        } catch let error as CacheError {
            throw .failed(error.concerning(name))
        } catch RecordHeader.Failure.unsupportedFormat {
            return .miss(.unsupportedFormat)
        } catch {
            return .miss(.corrupted)
        }
    }
}

extension ReadState {
    /// The list under the current key after `updates`; `nil` if there is none then, or if it cannot be known.
    ///
    /// All of a stored list is read if it is edited: there are queued edits for moments only.
    mutating func fold(
        _ updates: [CollectionUpdate], _ lists: ListLog?
    ) throws(CacheError) -> StoredElements? {
        absence = .absent
        var list: (elements: StoredElements, time: UInt32)?
        var isStored = true
        for update in updates {
            let former = try isStored ? stored() : list
            isStored = false
            absence = .absent
            list = nil
            switch update.change {
            case .set(let body, let kind):
                guard let elements = try? StoredElements(body: body, number: update.sequence) else { continue }
                if kind == .fill, let former {
                    list = (try former.elements.filled(with: elements), former.time)
                    continue
                }
                let isPage = kind == .page
                var answer = ListAnswer(elements: elements, isPage: isPage, since: update.since)
                if let since = update.since {
                    // The call may have been committed since the view was opened: it is not one that came before it.
                    guard
                        let edits = unsafe lists?.edits(of: Array(key.bytes), after: since, before: update.call)
                    else {
                        list = former
                        continue
                    }
                    answer.edits = edits
                }
                let isAnswer = isPage || update.since != nil
                // A call that confirms nothing leaves the list's age as it is.
                list = (
                    // Nothing is kept of a list that has lost a part: the writer does the same.
                    isAnswer ? try answer.settled(over: former?.elements.whole, number: update.sequence) : elements,
                    update.time > 0 ? update.time : former?.time ?? 0
                )
            case .forget(let isInvalidation): absence = isInvalidation ? .invalidated : .absent
            case .edit(let operation):
                // An edit for which no caller waits, and that cannot be applied, will fail, and the list be forgotten.
                guard var elements = former?.elements,
                    (try? elements.apply(operation, number: update.sequence)) != nil
                else {
                    absence = .invalidated
                    continue
                }
                list = (elements, former?.time ?? 0)
            }
        }
        guard let list else { return nil }
        if let ageLimit = basis.ageLimit, !ageLimit.accepts(list.time) {
            absence = .expired
            return nil
        }
        return list.elements
    }

    /// The list under the current key as the view shows it.
    private func stored() throws(CacheError) -> (elements: StoredElements, time: UInt32)? {
        guard let view = basis.view, let stored = try unsafe view.collection(Array(key.bytes)) else { return nil }
        return (try view.knownElements(of: stored), stored.time)
    }
}
