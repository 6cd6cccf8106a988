/// Every damage of two kinds that one small store can suffer: each of its files cut off at every length, and each of its
/// bytes with one bit flipped.
final class DamageSweep {
    private let trial: Trial
    private let check: DamageCheck
    private var generator: SeededGenerator
    /// How many damages there are.
    let count: Int
    /// How many were tried.
    private(set) var done = 0

    /// The processes that ended at the sight of one.
    var deaths: Int { check.deaths }
    /// The damages that showed older records beside others, which the profile must allow.
    var mixtures: Int { check.mixtures }

    init(on backend: any ConformanceBackend, seed: UInt64) throws {
        trial = Trial("SWEEP", on: backend, seed: seed)
        var generator = trial.generator()
        check = try DamageCheck(trial, steps: 6, using: &generator)
        self.generator = generator
        count = check.files.reduce(0) { $0 + 2 * $1.size }
    }

    deinit { trial.finish() }

    /// Tries the next damage, whose place its number tells.
    ///
    /// - Throws: ``CheckFailure`` where a process told a lie.
    func next() throws {
        var number = done
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
