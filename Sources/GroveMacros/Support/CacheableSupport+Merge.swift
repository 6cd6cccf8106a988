extension _CacheableSupport {
    /// `model`, or an enum's payload, if it is another projection of the record of `own`; else `nil`.
    public static func projection(_ model: any Model, of own: some Model) -> (any _CacheableFields)? {
        guard let other = model as? any _CacheableFields, recordName(of: other) == recordName(of: own),
            let identifier = own.modelIdentifier, other.modelIdentifier == identifier
        else { return nil }
        return other
    }

    private static func recordName<M: Model>(of model: M) -> String { M.recordName }

    /// A field as `type`, or `nil` if it is of another.
    public static func field<Stored, Value>(_ stored: Stored, as type: Value.Type) -> Value? { stored as? Value }

    /// A field of `own` after a merge with `other`: the other's value if it has one that fits.
    ///
    /// A field that `other` does not have is kept. Models of another type are merged into those of the same
    /// identifiers; if there are none, the field is kept too.
    public static func merged<Shape: _ChildShape>(
        _ shape: Shape.Type, _ own: Shape.Value, _ other: any _CacheableFields, _ name: String
    ) -> Shape.Value {
        if let value = other.cacheableField(name, as: Shape.Value.self) { return value }
        guard let value = other.cacheableField(name, as: Any.self) else { return own }
        var pool: [ModelIdentifier: any Model] = [:]
        Shape.forEach(own) { model in
            if let identifier = model.modelIdentifier { pool[identifier] = model }
        }
        return Shape.adopt(value, pool) ?? own
    }
}
