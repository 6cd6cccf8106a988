/// Every damage of two kinds that one small store can suffer: each of its files cut off at every length, and each of
/// its bytes with one bit flipped.
final class DamageSweep {
    private let trial: Trial
    private let check: DamageCheck
    private var generator: SeededGenerator
    /// How many damages there are, in all parts.
    private let total: Int
    private let part: Int
    private let parts: Int
    /// How many damages are in this part.
    var count: Int { (total - part + parts - 1) / parts }
    /// How many were tried.
    private(set) var done = 0

    /// The processes that ended at the sight of one.
    var deaths: Int { check.deaths }
    /// The damages that showed older records beside others, which the profile must allow.
    var mixtures: Int { check.mixtures }

    /// Makes the small store; equal seeds make equal ones.
    ///
    /// - Parameter part: which of as many `parts` is tried; parts may run beside each other.
    init(on backend: any ConformanceBackend, seed: UInt64, part: Int = 0, of parts: Int = 1) throws {
        trial = Trial("SWEEP", on: backend, seed: seed)
        var generator = trial.generator()
        check = try DamageCheck(trial, steps: 6, using: &generator)
        self.generator = generator
        total = check.files.reduce(0) { $0 + 2 * $1.size }
        (self.part, self.parts) = (part, parts)
    }

    deinit { trial.finish() }

    /// Tries the next damage, whose place its number tells.
    ///
    /// - Throws: ``CheckFailure`` where a process told a lie.
    func next() throws {
        var number = done * parts + part
        done += 1
        for file in check.files {
            if number < file.size {
                let length = number
                return try check.damage(file.name, "\(length) of \(file.size) bytes left") {
                    $0 = Array($0.prefix(length))
                }
            }
            number -= file.size
            if number < file.size {
                let (place, bit) = (number, UInt8.random(in: 0..<8, using: &generator))
                return try check.damage(file.name, "bit \(bit) of byte \(place) flipped") { $0[place] ^= 1 << bit }
            }
            number -= file.size
        }
    }
}
