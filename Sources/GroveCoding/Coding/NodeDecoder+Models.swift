import GroveModel

extension NodeDecoder {
    /// Reads a model: fetches the node that a reference names, or decodes a model that is stored in place.
    @inlinable
    public mutating func decodeModel<M: CacheableModel>(_ type: M.Type) throws(NodeReadFailure) -> M {
        guard let reference = try readReference() else { return try decodeFields(type) }
        guard reference.caseName == nil else { throw .otherShape }
        return try node(type, reference)
    }

    /// Fetches the node that `reference` names, as `type`.
    @inlinable
    public func node<M: CacheableModel>(
        _ type: M.Type, _ reference: NodeReference
    ) throws(NodeReadFailure) -> M {
        // The source is held once for the whole visit: each separate use would count a reference.
        let source = unsafe self.source
        var visit = try unsafe source.beginVisit(type, reference.identifierBytes)
        if visit.isRemembered {
            guard let model = source.recall(visit) as? M else { throw .corrupted }
            return model
        }
        let failure: NodeReadFailure
        do throws(NodeReadFailure) {
            let model =
                visit.needsLargerStack
                ? try visit.decoder.fieldsOnLargerStack(type) : try visit.decoder.fieldsHere(type)
            if visit.wasSeen { source.remember(model, visit) }
            source.endVisit(visit)
            return model
        } catch {
            failure = error
        }
        throw source.failVisit(visit, failure)
    }

    /// Decodes the map at the cursor as the fields of `type`, one level deeper.
    @inlinable
    package mutating func decodeFields<M: CacheableModel>(_ type: M.Type) throws(NodeReadFailure) -> M {
        let needsLargerStack = try enterLevel()
        defer { leaveLevel() }
        return needsLargerStack ? try fieldsOnLargerStack(type) : try fieldsHere(type)
    }

    /// Decodes the map at the cursor as the fields of `type`.
    @inlinable
    package mutating func fieldsHere<M: CacheableModel>(_ type: M.Type) throws(NodeReadFailure) -> M {
        let outer = try beginMap(M.fields)
        let model = try M.decodeFields(from: &self)
        try endMap(outer)
        return model
    }

    @inlinable
    @inline(never)
    package mutating func fieldsOnLargerStack<M: CacheableModel>(_ type: M.Type) throws(NodeReadFailure) -> M {
        var decoder = self
        var model: M?
        try onLargerStack { () throws(NodeReadFailure) in model = try decoder.fieldsHere(type) }
        self = decoder
        guard let model else { throw .corrupted }
        return model
    }

    @usableFromInline
    func onLargerStack(_ body: () throws(NodeReadFailure) -> Void) throws(NodeReadFailure) {
        unsafe try source.onLargerStack(body)
    }

    /// Counts one more level; true if the rest must run on a larger stack.
    @usableFromInline
    func enterLevel() throws(NodeReadFailure) -> Bool {
        let nesting = unsafe source.nesting + 1
        guard nesting <= LargeStack.maxNesting else { throw NodeReadFailure.tooDeep }
        unsafe source.nesting = nesting
        return nesting == LargeStack.hopDepth
    }

    @usableFromInline
    func leaveLevel() { unsafe source.nesting -= 1 }

    /// Reads the head of the map of `fields` and returns the state around it.
    @usableFromInline
    mutating func beginMap(_ fields: FieldTable) throws(NodeReadFailure) -> MapScope {
        let outer = unsafe MapScope(
            fields: self.fields, entriesLeft: entriesLeft, mapLength: mapLength, lastKey: lastKey,
            absence: absence, naming: naming)
        self.fields = fields
        unsafe lastKey = nil
        entriesLeft = 0
        let isAwaited = naming == .awaited
        naming = .inRecord
        if fields.isDynamic { return outer }
        unsafe mapLength = UInt32(exactly: end - cursor) ?? 0
        if isAwaited, let shape = unsafe shape {
            let (count, isAlike) = unsafe shape._withUnsafeGuaranteedRef { ($0.count, $0.isAlike(fields)) }
            entriesLeft = Int32(count)
            naming = isAlike ? .alike : .other
            absence = absence.insideMap
            return outer
        }
        let (major, count) = try readHead()
        guard major == CBORMajor.map else { throw .otherShape }
        guard unsafe count <= UInt64(end - cursor), let entries = Int32(exactly: count) else { throw .corrupted }
        entriesLeft = entries
        absence = absence.insideMap
        return outer
    }

    /// Moves past the remaining fields and restores the state around the map.
    @usableFromInline
    mutating func endMap(_ outer: MapScope) throws(NodeReadFailure) {
        try passRest()
        // Nothing follows the values of a shape.
        if naming != .inRecord, unsafe cursor != end { throw .corrupted }
        fields = outer.fields
        entriesLeft = outer.entriesLeft
        unsafe lastKey = outer.lastKey
        mapLength = outer.mapLength
        absence = outer.absence
        naming = outer.naming
    }

    /// The state around a map that is being read.
    @usableFromInline
    @safe
    struct MapScope {
        let fields: FieldTable
        let entriesLeft: Int32
        let mapLength: UInt32
        let lastKey: UnsafeRawPointer?
        let absence: Absence
        let naming: FieldNaming
    }

    /// The record name under which the node of `reference` is stored; for an enum whose reference does not name its
    /// case.
    public func recordName(of reference: NodeReference) throws(NodeReadFailure) -> String {
        try unsafe source.recordName(reference.identifierBytes)
    }

    /// Reads a reference, or returns `nil` and leaves the cursor in place if the value is something else.
    public mutating func readReference() throws(NodeReadFailure) -> NodeReference? {
        let start = unsafe cursor
        guard unsafe end - cursor > 0, unsafe cursor.load(as: UInt8.self) >> 5 == 6 else { return nil }
        let (_, tag) = try readHead()
        guard tag == CBORTag.reference else {
            unsafe cursor = unsafe start
            return nil
        }
        var (major, length) = try readHead()
        let hasCase = major == CBORMajor.array
        if hasCase {
            guard length == 2 else { throw .corrupted }
            (major, length) = try readHead()
        }
        guard major == CBORMajor.text, length > 0 else { throw .corrupted }
        let identifier = unsafe cursor
        try advance(length)
        let bytes = unsafe UnsafeRawBufferPointer(start: identifier, count: cursor - identifier)
        return unsafe NodeReference(identifierBytes: bytes, caseName: hasCase ? try readString() : nil)
    }

    /// Reads a value, or returns `nil` and moves past it if a node that it needs was deleted.
    @inlinable
    public mutating func decodeUnlessDeleted<Value: NodeCodable>(
        _ type: Value.Type
    ) throws(NodeReadFailure) -> Value? {
        guard Value.holdsReferences else { return try Value.decodeValue(from: &self) }
        let start = self
        do {
            return try Value.decodeValue(from: &self)
        } catch {
            guard case .deleted = error else { throw error }
            self = start
            try skip()
            return nil
        }
    }
}
