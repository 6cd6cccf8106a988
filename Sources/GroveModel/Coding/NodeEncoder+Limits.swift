/// What trees are refused for.
extension NodeEncoder {
    static var nestsTooDeeply: CacheError {
        CacheError(.tooDeep, "The model nests more than \(LargeStack.maxNesting) levels.")
    }

    static var identifierIsEmpty: CacheError {
        CacheError(.emptyIdentifier, "A model's identifier has no bytes.")
    }

    static var identifierIsTooLong: CacheError {
        CacheError(.tooLarge, "A model's identifier has more than \(maxIdentifierBytes) bytes.")
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
}
