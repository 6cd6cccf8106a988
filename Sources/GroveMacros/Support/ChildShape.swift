/// How the models inside a property's value are found: a type made of the property's type, without a value.
///
/// The overloads of ``_CacheableSupport/shape(of:)-(M.Type)`` put shapes together. So a property without models costs
/// nothing, and one with models costs no more than its loops.
public protocol _ChildShape {
    /// The property's type.
    associatedtype Value

    /// Whether there are no models in it, whatever the value.
    static var isLeaf: Bool { get }

    /// Calls `visit` with each model, in the order of the record.
    static func forEach(_ value: Value, _ visit: (any Model) -> Void)

    /// `value` with each model replaced, or `nil` if one that it needs is gone.
    static func map(_ value: Value, _ transform: (any Model) -> (any Model)?) -> Value?

    /// How many models are in every value, if that does not depend on the value.
    static var fixedCount: Int? { get }

    /// How many models are in `value`.
    static func count(_ value: Value) -> Int

    /// Replaces the model at `position`, which is below `count`, in place; false, with `value` undefined, if `child`
    /// cannot take it.
    static func replace(_ value: inout Value, at position: Int, with child: any Model) -> Bool

    /// `other`, the same field of another projection, with its models in the types of this one.
    ///
    /// Each model is merged into the model of `pool` that has its identifier.
    ///
    /// - Returns: `nil` if a model has none in `pool`, or if something else does not fit.
    static func adopt(_ other: Any, _ pool: [ModelIdentifier: any Model]) -> Value?
}

extension _ChildShape {
    /// Depends on the value.
    @inlinable
    public static var fixedCount: Int? { nil }

    /// How many models are in `value`.
    @inlinable
    public static func count(_ value: Value) -> Int {
        if let fixedCount { return fixedCount }
        var count = 0
        forEach(value) { _ in count += 1 }
        return count
    }

    /// Replaces the model at `position` by visiting all.
    @inlinable
    public static func replace(_ value: inout Value, at position: Int, with child: any Model) -> Bool {
        var next = 0
        let new = map(value) { old in
            defer { next += 1 }
            return next == position ? child : old
        }
        guard let new, count(new) == count(value) else { return false }
        value = new
        return true
    }
}

/// A value without models.
public enum _LeafShape<Value>: _ChildShape {
    /// Whether there are no models in it.
    @inlinable
    public static var isLeaf: Bool { true }

    /// None.
    @inlinable
    public static var fixedCount: Int? { 0 }

    /// Calls `visit` with each model.
    @inlinable
    public static func forEach(_ value: Value, _ visit: (any Model) -> Void) {}

    /// `value` with each model replaced.
    @inlinable
    public static func map(_ value: Value, _ transform: (any Model) -> (any Model)?) -> Value? { .some(value) }

    /// `other` in the types of this shape.
    public static func adopt(_ other: Any, _ pool: [ModelIdentifier: any Model]) -> Value? { other as? Value }
}

/// A model.
public enum _ModelShape<Value: Model>: _ChildShape {
    /// Whether there are no models in it.
    @inlinable
    public static var isLeaf: Bool { false }

    /// Calls `visit` with each model.
    @inlinable
    public static func forEach(_ value: Value, _ visit: (any Model) -> Void) { visit(value) }

    /// `value` with each model replaced.
    @inlinable
    public static func map(_ value: Value, _ transform: (any Model) -> (any Model)?) -> Value? {
        guard let new = transform(value) else { return nil }
        return new as? Value ?? _CacheableSupport.fit(new, value)
    }

    /// One.
    @inlinable
    public static var fixedCount: Int? { 1 }

    /// Replaces the model.
    @inlinable
    public static func replace(_ value: inout Value, at position: Int, with child: any Model) -> Bool {
        guard let new = child as? Value ?? _CacheableSupport.fit(child, value) else { return false }
        value = new
        return true
    }

    /// `other` in the types of this shape.
    public static func adopt(_ other: Any, _ pool: [ModelIdentifier: any Model]) -> Value? {
        if let same = other as? Value { return same }
        guard let other = other as? any Model, let identifier = other.modelIdentifier else { return nil }
        return pool[identifier]?.merge(other) as? Value
    }
}

/// An optional: `nil` if the model that it holds is gone.
public enum _OptionalShape<Wrapped: _ChildShape>: _ChildShape {
    /// Whether there are no models in it.
    @inlinable
    public static var isLeaf: Bool { Wrapped.isLeaf }

    /// Calls `visit` with each model.
    @inlinable
    public static func forEach(_ value: Wrapped.Value?, _ visit: (any Model) -> Void) {
        if let value { Wrapped.forEach(value, visit) }
    }

    /// `value` with each model replaced.
    @inlinable
    public static func map(
        _ value: Wrapped.Value?, _ transform: (any Model) -> (any Model)?
    ) -> Wrapped.Value?? {
        guard !Wrapped.isLeaf, let value else { return .some(value) }
        return .some(Wrapped.map(value, transform))
    }

    /// None if that is fixed.
    @inlinable
    public static var fixedCount: Int? { Wrapped.isLeaf ? 0 : nil }

    /// How many models are in the wrapped value.
    @inlinable
    public static func count(_ value: Wrapped.Value?) -> Int {
        guard !Wrapped.isLeaf, let value else { return 0 }
        return Wrapped.count(value)
    }

    /// Replaces the model at `position`.
    @inlinable
    public static func replace(_ value: inout Wrapped.Value?, at position: Int, with child: any Model) -> Bool {
        guard var wrapped = value else { return false }
        value = nil
        let isDone = Wrapped.replace(&wrapped, at: position, with: child)
        value = wrapped
        return isDone
    }

    /// `other` in the types of this shape.
    public static func adopt(_ other: Any, _ pool: [ModelIdentifier: any Model]) -> Wrapped.Value?? {
        guard let optional = other as? any AnyOptional else { return Wrapped.adopt(other, pool).map { .some($0) } }
        guard let wrapped = optional.anyWrapped else { return .some(nil) }
        return Wrapped.adopt(wrapped, pool).map { .some($0) }
    }
}

/// An array: an element that is gone is dropped.
public enum _ArrayShape<Element: _ChildShape>: _ChildShape {
    /// Whether there are no models in it.
    @inlinable
    public static var isLeaf: Bool { Element.isLeaf }

    /// Calls `visit` with each model.
    @inlinable
    public static func forEach(_ value: [Element.Value], _ visit: (any Model) -> Void) {
        if Element.isLeaf { return }
        for element in value { Element.forEach(element, visit) }
    }

    /// `value` with each model replaced.
    @inlinable
    public static func map(
        _ value: [Element.Value], _ transform: (any Model) -> (any Model)?
    ) -> [Element.Value]? {
        if Element.isLeaf { return value }
        var elements: [Element.Value] = []
        elements.reserveCapacity(value.count)
        for element in value {
            if let new = Element.map(element, transform) { elements.append(new) }
        }
        return elements
    }

    /// None if that is fixed.
    @inlinable
    public static var fixedCount: Int? { Element.isLeaf ? 0 : nil }

    /// How many models are in the elements; O(1) for an array of models.
    @inlinable
    public static func count(_ value: [Element.Value]) -> Int {
        if let each = Element.fixedCount { return each * value.count }
        return value.reduce(0) { $0 + Element.count($1) }
    }

    /// Replaces the model at `position`; for an array of models without visiting the others.
    @inlinable
    public static func replace(_ value: inout [Element.Value], at position: Int, with child: any Model) -> Bool {
        if let each = Element.fixedCount {
            guard each > 0, value.indices.contains(position / each) else { return false }
            return Element.replace(&value[position / each], at: position % each, with: child)
        }
        var rest = position
        for index in value.indices {
            let count = Element.count(value[index])
            if rest < count { return Element.replace(&value[index], at: rest, with: child) }
            rest -= count
        }
        return false
    }

    /// `other` in the types of this shape.
    public static func adopt(_ other: Any, _ pool: [ModelIdentifier: any Model]) -> [Element.Value]? {
        guard let other = other as? [Any] else { return nil }
        let elements = other.compactMap { Element.adopt($0, pool) }
        return elements.count == other.count ? elements : nil
    }
}

/// A set: an element that is gone is dropped.
public enum _SetShape<Element: _ChildShape>: _ChildShape where Element.Value: Hashable {
    /// Whether there are no models in it.
    @inlinable
    public static var isLeaf: Bool { Element.isLeaf }

    /// None if that is fixed.
    @inlinable
    public static var fixedCount: Int? { isLeaf ? 0 : nil }

    /// Calls `visit` with each model.
    @inlinable
    public static func forEach(_ value: Set<Element.Value>, _ visit: (any Model) -> Void) {
        if isLeaf { return }
        for element in _CacheableSupport.inRecordOrder(value) { Element.forEach(element, visit) }
    }

    /// `value` with each model replaced.
    @inlinable
    public static func map(
        _ value: Set<Element.Value>, _ transform: (any Model) -> (any Model)?
    ) -> Set<Element.Value>? {
        if isLeaf { return value }
        return Set(_CacheableSupport.inRecordOrder(value).compactMap { Element.map($0, transform) })
    }

    /// `other` in the types of this shape.
    public static func adopt(_ other: Any, _ pool: [ModelIdentifier: any Model]) -> Set<Element.Value>? {
        guard let other = other as? Set<AnyHashable> else { return nil }
        let elements = Set(other.compactMap { Element.adopt($0.base, pool) })
        return elements.count == other.count ? elements : nil
    }
}

/// A dictionary: an entry whose key or value is gone is dropped.
public enum _DictionaryShape<Key: _ChildShape, Element: _ChildShape>: _ChildShape where Key.Value: Hashable {
    /// Whether there are no models in it.
    @inlinable
    public static var isLeaf: Bool { Key.isLeaf && Element.isLeaf }

    /// None if that is fixed.
    @inlinable
    public static var fixedCount: Int? { isLeaf ? 0 : nil }

    /// Calls `visit` with each model.
    @inlinable
    public static func forEach(_ value: [Key.Value: Element.Value], _ visit: (any Model) -> Void) {
        if isLeaf { return }
        for key in _CacheableSupport.inRecordOrder(value.keys) {
            Key.forEach(key, visit)
            if let element = value[key] { Element.forEach(element, visit) }
        }
    }

    /// `value` with each model replaced.
    @inlinable
    public static func map(
        _ value: [Key.Value: Element.Value], _ transform: (any Model) -> (any Model)?
    ) -> [Key.Value: Element.Value]? {
        if isLeaf { return value }
        var entries: [Key.Value: Element.Value] = [:]
        entries.reserveCapacity(value.count)
        for key in _CacheableSupport.inRecordOrder(value.keys) {
            guard let newKey = Key.map(key, transform), let element = value[key],
                let new = Element.map(element, transform)
            else { continue }
            entries[newKey] = new
        }
        return entries
    }

    /// `other` in the types of this shape.
    public static func adopt(_ other: Any, _ pool: [ModelIdentifier: any Model]) -> [Key.Value: Element.Value]? {
        guard let other = other as? [AnyHashable: Any] else { return nil }
        var entries: [Key.Value: Element.Value] = [:]
        for (key, element) in other {
            guard let key = Key.adopt(key.base, pool), let element = Element.adopt(element, pool) else { return nil }
            entries[key] = element
        }
        return entries
    }
}

/// Any optional, looked into without its type.
private protocol AnyOptional {
    var anyWrapped: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var anyWrapped: Any? { self }
}
