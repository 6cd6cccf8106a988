import GroveModel

/// The outcome of a follower's own edit of a list, as that follower is told.
struct OwnEdit: CommittedChanges {
    let ticket: EditTicket
    let commitNumber: CommitNumber
    let lists: [ListChange]

    init(_ changes: ChangeSet) {
        ticket = changes.editTicket
        commitNumber = changes.commitNumber
        lists = changes.lists
    }

    var extent: ChangeExtent { .named }
    var beginsLife: Bool { false }
    var count: Int { 0 }
    var deletedModelIds: Set<ModelIdentifier> { [] }
    var changedLists: Set<ModelIdentifier>? { [] }

    func changed(
        among held: some Collection<ModelIdentifier>, isHeld: (ModelIdentifier) -> Bool
    ) -> [ModelIdentifier] { [] }
}
