import GroveCoding
import GroveModel

/// The numbers of calls: this process's own, and their places among those of all processes.
struct CallNumbers: Sendable {
    /// The last call that writes.
    private(set) var last: LocalNumber
    /// The amount that other processes' writes have added to the numbers since the store was opened.
    private(set) var shift = CallNumber.Shift.zero
    /// The highest number that the store held when this process last looked.
    private(set) var committed: CallNumber
    /// See ``StoreState/forgottenDeletion``.
    private(set) var forgottenDeletion: CallNumber
    /// The last call that does not land any more: the store was wiped or replaced after it.
    private(set) var wipedAt = LocalNumber.zero
    /// The last call before other processes replaced the files, which may hold values that such calls were to replace.
    private(set) var replacedAt = LocalNumber.zero

    /// The numbers of a process that has just opened a store with the state `stored`.
    init(_ stored: StoreState) {
        last = LocalNumber(rawValue: stored.sequence.rawValue)
        committed = stored.sequence
        forgottenDeletion = stored.forgottenDeletion
    }

    /// Takes the number of the next call.
    mutating func take() -> LocalNumber {
        last = last.next
        return last
    }

    /// The place of the call `number` among the calls of all processes, as far as is known.
    func place(ofCall number: LocalNumber) -> StoredPlace.Numbers {
        StoredPlace.Numbers(number: number.number(shiftedBy: shift), committed: committed, shift: shift)
    }

    /// Notes that calls up to `number` land no more.
    mutating func wipe(at number: LocalNumber) { wipedAt = max(wipedAt, number) }

    /// Notes that other processes replaced the files.
    mutating func replace() {
        wipe(at: last)
        replacedAt = last
    }

    /// Notes a commit of this process.
    mutating func commit(_ summary: TransactionSummary) {
        shift = summary.shift
        committed = summary.stored.sequence
        forgottenDeletion = summary.stored.forgottenDeletion
    }

    /// Takes in what other processes have committed until the state `stored`: places from now on are behind it.
    mutating func learn(_ stored: StoreState) {
        guard stored.sequence > committed else { return }
        shift = shift + CallNumber.numbers(after: committed, upTo: stored.sequence)
        (committed, forgottenDeletion) = (stored.sequence, stored.forgottenDeletion)
    }

    /// Notes that the store is empty.
    mutating func empty() { (committed, forgottenDeletion) = (.zero, .zero) }

    /// Takes over another process's store, with the state `stored`.
    ///
    /// Later calls get higher numbers than any in the store, and so does a call that has its number already.
    mutating func adopt(_ stored: StoreState) {
        if stored.sequence >= last.number(shiftedBy: shift) { shift = last.shift(after: stored.sequence) }
        committed = stored.sequence
        forgottenDeletion = stored.forgottenDeletion
    }
}
