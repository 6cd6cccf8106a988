public import GroveModel

/// The errors with which trees are refused.
extension NodeEncoder {
    static var nestsTooDeeply: CacheError {
        CacheError(.tooDeep, "The model nests more than \(LargeStack.maxNesting) levels.")
    }

    static var identifierIsEmpty: CacheError {
        CacheError(
            .emptyIdentifier,
            "A model's identifier has no bytes; a model that has none yet gives `nil` as its identifier.")
    }

    static func identifierIsTooLong(_ bytes: UnsafeRawBufferPointer) -> CacheError {
        let start = unsafe String(decoding: bytes.prefix(64), as: UTF8.self)
        return CacheError(
            .tooLarge,
            "A model's identifier has \(bytes.count) bytes, and the most is \(maxIdentifierBytes); it begins with "
                + "\(start.debugDescription). Take a shorter one, such as a hash.")
    }

    static var bodyIsNoMap: CacheError {
        CacheError(
            .unencodable, "A model with an identifier encodes fields: another value by itself cannot be its record.")
    }

    static var hasTooManyPaths: CacheError {
        CacheError(.tooManyPaths, "The tree has more than \(NodeTree.maxPaths) paths.")
    }

    static var hasTooManyLevels: CacheError {
        CacheError(.tooDeep, "The tree has more than \(LargeStack.maxDepth) identified levels.")
    }

    /// Whether the bytes written inside `scope` are one value for each field; true if the fields have their names.
    func hasValueForEachField(of scope: Scope) -> Bool {
        guard scope.isShaped else { return true }
        let values = unsafe out.bytes(in: scope.start..<out.count)
        var decoder = unsafe NodeDecoder(values, source: NoSource.shared, isStable: true)
        for _ in 0..<fields.count {
            guard (try? decoder.skip()) != nil else { return false }
        }
        return decoder.isAtEnd
    }

    /// `failure` of a field of a model of `type` inside `scope`, with the name of the field and the identifier of the
    /// node.
    @usableFromInline
    @inline(never)
    func explained(_ failure: CacheError, _ type: any CacheableModel.Type, _ scope: Scope) -> CacheError {
        let name = type.recordName
        let isKnown = !fields.isDynamic && nextField > 0 && !failure.isOfTree
        return concerning(scope, failure.concerning(field: isKnown ? "\(name).\(fields.name(nextField - 1))" : name))
    }

    /// `failure` with the identifier of the node of `scope`, if it is one and the failure names none.
    func concerning(_ scope: Scope, _ failure: CacheError) -> CacheError {
        guard scope.isNode, failure.identifier == nil else { return failure }
        return unsafe failure.concerning(
            ModelIdentifier(String(decoding: tree.bytes(in: scope.identifier), as: UTF8.self)))
    }
}

extension CacheError {
    /// Whether the error is about a whole tree and not about one field.
    fileprivate var isOfTree: Bool { code == .tooDeep || code == .tooManyPaths || identifier != nil }
}
