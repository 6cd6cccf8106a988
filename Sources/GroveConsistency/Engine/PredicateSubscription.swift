import GroveModel

/// A subscription to every model of one type that satisfies a condition.
struct PredicateSubscription: Sendable {
    let key: Int
    let matches: @Sendable (any Model) -> Bool
    let tell: @Sendable (PredicateEvent) -> Void
    /// The models that match now, as far as they were posted.
    var current: [ModelIdentifier: any Model] = [:]
}

/// An event of a predicate, made by a model that was posted or deleted.
enum PredicateEvent: Sendable {
    case began(any Model)
    case changed(any Model)
    case ended(ModelIdentifier)
}

extension Engine {
    /// Tells the subscriptions whose condition `model` begins, continues or ceases to satisfy.
    func match(_ model: any Model, _ identifier: ModelIdentifier) {
        let kind = ObjectIdentifier(type(of: Leaf.base(model)))
        guard var interested = predicates.removeValue(forKey: kind) else { return }
        for key in Array(interested.keys) {
            guard var subscription = interested[key] else { continue }
            let before = subscription.current[identifier]
            if subscription.matches(model) {
                interested[key] = nil
                subscription.current[identifier] = model
                interested[key] = subscription
                if let before {
                    if !before.isEqual(to: model) { subscription.tell(.changed(model)) }
                } else {
                    subscription.tell(.began(model))
                }
            } else if before != nil {
                interested[key]?.current[identifier] = nil
                subscription.tell(.ended(identifier))
            }
        }
        predicates[kind] = interested
    }

    /// Tells the subscriptions whose condition the deleted model satisfied.
    func matchDelete(_ identifier: ModelIdentifier) {
        for kind in Array(predicates.keys) {
            for key in Array(predicates[kind, default: [:]].keys) {
                guard predicates[kind]?[key]?.current.removeValue(forKey: identifier) != nil else { continue }
                predicates[kind]?[key]?.tell(.ended(identifier))
            }
        }
    }
}
