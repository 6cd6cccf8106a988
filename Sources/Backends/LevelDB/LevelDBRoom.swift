import GroveCache
import GroveModel

/// What a store knows of the room that its budget leaves; without a budget, of nothing.
struct LevelDBRoom {
    /// The division of the budget, if there is one, and the engine's options for it.
    var shares: LevelDBShares?
    var options: LevelDBOptions?
    /// The bytes of batches that may be written before the files are looked at again.
    var bytes = 0
    /// The number of calls that found no room since the last one that did.
    private var refusals = 0
    /// The time at which a compaction last waited for readers in vain.
    private var heldUp: ContinuousClock.Instant?
    /// The bytes of keys and values that the cache last gave, and the bytes of tables for each of them.
    private var payload = 0
    private var density: Double?

    /// - Parameter options: the engine's options for a budget that is known to follow.
    init(_ options: LevelDBOptions?) { self.options = options }

    /// An upper bound of the bytes that LevelDB writes for each byte of a batch.
    ///
    /// They are the log, a table, four tables with all of level 1, and a table with twelve of level 2
    /// (`db/version_set.cc`, `MaxBytesForLevel`). Level 1 has 10 MB, and tables are taken to be as small as buffers can
    /// be. A view that stays open keeps all of it.
    private static var amplification: Int { 64 }

    /// Notes that the files may grow by `bytes`: batches may take a part of these before the files are looked at again.
    mutating func note(_ bytes: Int) { self.bytes = max(bytes, 0) / Self.amplification }

    /// Notes a call that found no room, and returns whether it is to compact: the first such call, and every eighth
    /// after a compaction that did not help.
    mutating func noteRefusal() -> Bool {
        guard refusals > 0 else { return true }
        refusals += 1
        return refusals % 8 == 0
    }

    /// Notes whether there was room, with or without a compaction.
    mutating func hadRoom(_ hasRoom: Bool) { refusals = hasRoom ? 0 : 1 }

    /// Throws if a compaction waited for readers in vain less than a second ago.
    func refuseWhileHeldUp() throws(CacheError) {
        if let heldUp, ContinuousClock.now - heldUp < .seconds(1) { throw Self.isHeldUp }
    }

    /// Notes that a compaction waited for readers in vain, and returns the error for that.
    mutating func noteHeldUp() -> CacheError {
        heldUp = .now
        return Self.isHeldUp
    }

    private static var isHeldUp: CacheError {
        CacheError(.full, "A read that does not end keeps files that were replaced.")
    }

    /// The bytes of tables for each byte of keys and values, of which there are `payload`; `nil` before a compaction.
    mutating func density(holding payload: Int) -> Double? {
        self.payload = payload
        return density
    }

    /// Notes the bytes of the tables after a compaction.
    mutating func noteDensity(_ tableBytes: Int) {
        // The tables of few records say little about the density.
        guard payload > 256 << 10, tableBytes > 0 else { return }
        density = Double(tableBytes) / Double(payload)
    }

    /// Forgets what it knows of records that are wiped.
    mutating func wipe() { (refusals, payload, density) = (0, 0, nil) }
}
