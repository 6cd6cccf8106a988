import CLevelDB
import GroveCoding
import GroveModel

/// The look-up of keys in one state of a LevelDB: single keys by a get, and runs of keys that follow each other by an
/// iterator.
///
/// A page of a list often has the keys `Message:41`, `Message:42` and so on, with those of their senders in between.
/// Moving an iterator to the next entry costs a tenth of a look-up. The iterator is opened once a few keys have
/// followed each other.
@safe
struct LevelDBLookup: ~Copyable {
    private let handle: LevelDBHandle
    private let options: OpaquePointer
    private var value = LevelDBValue()
    /// The number of keys that were looked up, up to ``fewKeys``.
    private var count = 0
    private var runs: [KeyRun] = []
    /// The run that is replaced next if there are too many.
    private var oldest = 0
    private var iterator: LevelDBIterator?
    /// The run that ``iterator`` follows.
    private var followed = 0

    /// The number of keys that are looked up before runs are watched, and that must follow each other to be worth an
    /// iterator.
    private static let fewKeys = 3
    /// The most entries by which the iterator moves on to find a key.
    private static let mostSteps = 2
    /// The most runs that are watched at a time.
    private static let mostRuns = 4

    init(_ handle: LevelDBHandle, _ options: OpaquePointer) {
        self.handle = handle
        unsafe self.options = unsafe options
    }

    /// The value of `key`, or `nil` if there is none; valid until the next call.
    mutating func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        if count < Self.fewKeys {
            count += 1
        } else if let run = unsafe run(of: key), let found = try unsafe find(key, in: run) {
            return unsafe found
        }
        return try unsafe value.get(handle.database, options, key)
    }

    /// Releases the value and the iterator.
    mutating func leave() {
        value.clear()
        iterator = nil
    }

    /// The index of the run that `key` continues, if that is long enough to be followed.
    private mutating func run(of key: UnsafeRawBufferPointer) -> Int? {
        guard let next = unsafe KeyRun(key) else { return nil }
        guard let run = runs.firstIndex(where: { $0.isOfSameKeys(as: next) }) else {
            if runs.count < Self.mostRuns {
                runs.append(next)
            } else {
                if followed == oldest { iterator = nil }
                runs[oldest] = next
                oldest = (oldest + 1) % Self.mostRuns
            }
            return nil
        }
        runs[run].move(to: next, within: Self.mostSteps)
        return runs[run].length >= Self.fewKeys ? run : nil
    }

    /// The value of `key` if the iterator finds it near its present entry.
    private mutating func find(
        _ key: UnsafeRawBufferPointer, in run: Int
    ) throws(CacheError) -> UnsafeRawBufferPointer? {
        if iterator == nil {
            iterator = try unsafe LevelDBIterator(handle, options: options, from: key)
            followed = run
        }
        guard followed == run else { return nil }
        for _ in 0...Self.mostSteps {
            // Damage near the key does not matter: the look-up then answers.
            guard let entry = try? unsafe iterator?.entry() else { break }
            let order = unsafe lexicographicOrder(entry.key, key)
            if order == 0 { return unsafe entry.value }
            guard order < 0 else { break }
            iterator?.advance()
        }
        // The key is not near, and neither are the keys that follow.
        iterator = nil
        runs[run].length = 0
        return nil
    }
}

/// A run of keys with the same bytes before a number, each number a little greater than the one before.
private struct KeyRun {
    private var prefix: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private let prefixCount: Int
    private var number: Int
    /// The number of keys that have followed each other.
    var length = 0

    /// A run that begins with `key`; `nil` if the key does not end in a number.
    init?(_ key: UnsafeRawBufferPointer) {
        var (start, value, place) = (key.count, 0, 1)
        while start > 0, key.count - start < 18, case let digit = unsafe key[start - 1] &- UInt8(ascii: "0"), digit < 10
        {
            value += Int(digit) * place
            place *= 10
            start -= 1
        }
        guard start < key.count, start <= MemoryLayout.size(ofValue: prefix) else { return nil }
        unsafe withUnsafeMutableBytes(of: &prefix) {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: key[..<start]))
        }
        (prefixCount, number) = (start, value)
    }

    /// Whether the keys of `other` have the same bytes before the number.
    func isOfSameKeys(as other: KeyRun) -> Bool { prefixCount == other.prefixCount && prefix == other.prefix }

    /// Moves on to the key of `next`; the run starts again unless the number is greater by at most `most`.
    mutating func move(to next: KeyRun, within most: Int) {
        let step = next.number - number
        length = step > 0 && step <= most ? length + 1 : 0
        number = next.number
    }
}
