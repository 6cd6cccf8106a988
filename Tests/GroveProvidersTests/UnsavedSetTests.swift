import GroveModel
@testable import GroveProviders
import Testing

/// Of several saves of one model the last counts, in whichever order they are told of.
@Suite("What is not saved")
struct UnsavedSetTests {
    private func place(_ number: UInt64) -> StoredPlace {
        StoredPlace(
            life: .none, time: 0,
            numbers: StoredPlace.Numbers(
                number: CallNumber(rawValue: number), committed: CallNumber(rawValue: 0), shift: .zero))
    }

    private func refused(_ number: UInt64) -> SaveOutcome {
        .refused(CacheError(.suspended, "The cache is suspended."), place(number))
    }

    private func due(_ unsaved: inout UnsavedSet) -> UInt64? {
        unsaved.takeDue(isNow: true)[.model("a")]?.values.first?.numbers?.number.rawValue
    }

    @Test("An earlier save that succeeds late leaves the refusal of a later one")
    func lateSuccess() {
        var unsaved = UnsavedSet()
        _ = unsaved.note(.model("a"), refused(2))
        let isNewsEarly = unsaved.note(.model("a"), .stored(isWhole: true, place(1)))
        let number = due(&unsaved)
        let isNewsLater = unsaved.note(.model("a"), .stored(isWhole: true, place(2)))
        #expect(!isNewsEarly && number == 2 && isNewsLater)
        #expect(unsaved.isEmpty)
    }

    @Test("An earlier refusal that is told of late does not move a later one")
    func lateRefusal() {
        var unsaved = UnsavedSet()
        _ = unsaved.note(.model("a"), refused(2))
        _ = unsaved.note(.model("a"), refused(1))
        let number = due(&unsaved)
        #expect(number == 2)
    }

    @Test("What was below a save, and is not below the last one, is saved by itself", arguments: [false, true])
    func leftBelow(isStored: Bool) {
        func node(_ name: ModelIdentifier) -> UnsavedSet.Node { UnsavedSet.Node(identifier: name, projection: "") }
        for isLate in [false, true] {
            var unsaved = UnsavedSet()
            let last = isStored ? SaveOutcome.stored(isWhole: true, place(2)) : refused(2)
            let saves = [(refused(1), [node("b"), node("c")]), (last, [node("c")])]
            for (outcome, below) in isLate && !isStored ? saves.reversed() : saves {
                _ = unsaved.note(.model("a"), outcome, below: below)
            }
            let due = unsaved.takeDue(isNow: true)
            #expect(due[.model("b")]?.values.first?.numbers?.number.rawValue == 1)
            #expect(due[.model("c")] == nil)
            #expect(due[.model("a")]?.values.first?.numbers?.number.rawValue == (isStored ? nil : 2))
        }
    }

    @Test("A deletion is the last of several, and ends the saves before it only")
    func deletions() {
        var unsaved = UnsavedSet()
        unsaved.note(deletionOf: "a", refused(2))
        unsaved.note(deletionOf: "a", refused(1))
        unsaved.note(deletionOf: "a", .stored(isWhole: true, place(1)))
        let deletions = unsaved.takeDeletions().mapValues { $0.numbers?.number.rawValue }
        #expect(deletions == ["a": 2])
        _ = unsaved.note(.model("a"), refused(4))
        unsaved.note(deletionOf: "a", refused(3))
        let before = due(&unsaved)
        unsaved.note(deletionOf: "a", refused(5))
        let after = due(&unsaved)
        #expect(before == 4 && after == nil)
    }
}
