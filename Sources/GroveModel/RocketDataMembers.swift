/// Members that models of RocketData and ConsistencyManager had and that Grove does not call.
///
/// There is nothing to implement. A model that still has one of the members does not compile, and the error says what
/// to write instead. Each member decides an associated type, which is `Void` without it; ``hasNoMembersOfRocketData``
/// is available only if all of them are `Void`. A requirement marked as unavailable or deprecated would give no error
/// for a type that has the member.
public protocol RocketDataMembers {
    /// `Void`.
    associatedtype ResultOfMergeModel = Void

    /// `Void`.
    associatedtype ResultOfIsEqualToModel = Void

    /// `Void`.
    associatedtype ResultOfIsEqualToAnyModel = Void

    /// Not called: write ``Model/merge(_:)``.
    func mergeModel(_ model: any Model) -> ResultOfMergeModel

    /// Not called: write ``SimpleModel/isEqual(to:)``.
    func isEqualToModel(_ model: any Model) -> ResultOfIsEqualToModel

    /// Not called: write ``SimpleModel/isEqual(to:)``, which takes `any SimpleModel`.
    @_disfavoredOverload
    func isEqual(to model: any Model) -> ResultOfIsEqualToAnyModel

    /// Nothing; available only if the model has none of the members.
    static var hasNoMembersOfRocketData: Void { get }
}

extension RocketDataMembers where ResultOfMergeModel == Void {
    /// Does nothing.
    public func mergeModel(_ model: any Model) {}
}

extension RocketDataMembers where ResultOfIsEqualToModel == Void {
    /// Does nothing.
    public func isEqualToModel(_ model: any Model) {}
}

extension RocketDataMembers where ResultOfIsEqualToAnyModel == Void {
    /// Does nothing.
    @_disfavoredOverload
    public func isEqual(to model: any Model) {}
}

extension RocketDataMembers
where ResultOfMergeModel == Void, ResultOfIsEqualToModel == Void, ResultOfIsEqualToAnyModel == Void {
    /// Nothing.
    public static var hasNoMembersOfRocketData: Void { () }
}

extension RocketDataMembers {
    /// Not there if a model has one of the members.
    @available(
        *, unavailable,
        message: """
            for mergeModel(_:) write merge(_:); for isEqualToModel(_:) and isEqual(to: any Model) write \
            isEqual(to: any SimpleModel); the old ones are never called
            """
    )
    public static var hasNoMembersOfRocketData: Void { () }
}
