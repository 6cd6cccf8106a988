import GroveModel

/// What the policy notes of nodes for ``Fingerprints``, beside the weight that says how long their records are.
extension EvictionIndex {
    /// Whether anything can be noted: entries that are merely counted say nothing of lengths.
    var keepsNotes: Bool { !countsEntries && budget.policy.keepsNotes }

    /// What a record takes, its entry in the journal included; its key has `keyCount` bytes.
    static func weight(keyCount: Int, valueCount: Int) -> Int {
        keyCount * 2 + valueCount + EvictionJournal.entryBytes
    }

    /// The note of the record whose key has the hash `hash`, and the bytes of its value; `nil` where nothing is noted, or
    /// it is marked, so that what it names must be looked at.
    func note(of hash: UInt64, keyCount: Int) -> (note: UInt32, valueCount: Int)? {
        guard let (weight, note) = policy.note(of: hash), note != 0, !pins.isMarked(hash) else { return nil }
        return (note, weight - EvictionIndex.weight(keyCount: keyCount, valueCount: 0))
    }

    /// Forgets what is noted of the record whose key has the hash `hash`.
    func removeNote(of hash: UInt64) {
        guard let (weight, note) = policy.note(of: hash), note != 0 else { return }
        policy.setNote(0, of: hash, weight: weight)
    }
}
