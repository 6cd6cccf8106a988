/// A script of calls, which anybody can read, shorten and replay.
public struct RandomProgram: Equatable, Sendable, CustomStringConvertible {
    var steps: [Step]

    init(_ steps: [Step]) { self.steps = steps }

    /// Reads a script: a step a line; empty lines and what begins with `#` are passed over.
    ///
    /// - Throws: ``CheckFailure`` that names the line that is no step.
    public init(script: String) throws(CheckFailure) {
        steps = []
        for (index, line) in script.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard !line.isEmpty, line.first != "#" else { continue }
            guard let step = Step(String(line)) else {
                throw CheckFailure("Line \(index + 1) of the script is no step: \(line)")
            }
            steps.append(step)
        }
    }

    /// The script.
    public var description: String { steps.map { "\($0)\n" }.joined() }

    /// Whether something is forgotten on the way, so that a miss may stand in the place of a value.
    var forgets: Bool { steps.contains(where: \.forgets) }

    /// What a random program may do.
    struct Abilities {
        var evicts = false
        var fails = false
        var reopens = true
        var wipes = true
        var queues = true
    }

    /// A random program of `count` steps.
    static func random(_ count: Int, _ abilities: Abilities, using generator: inout SeededGenerator) -> RandomProgram {
        var steps: [Step] = []
        while steps.count < count {
            let kind = Plan.Kind.allCases.randomElement(using: &generator) ?? .person
            let number = Int.random(in: 0..<4, using: &generator)
            let key = Int.random(in: 0..<2, using: &generator)
            func plans() -> [Plan] {
                (0..<Int.random(in: 0..<4, using: &generator)).map { _ in Plan.random(kind, using: &generator) }
            }
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<28: steps.append(.put(.random(kind, using: &generator)))
            case 28..<40 where abilities.queues: steps.append(.set(.random(kind, using: &generator)))
            case 40..<46: steps.append(.list(key, kind, plans()))
            case 46..<50 where abilities.queues: steps.append(.setList(key, kind, plans()))
            case 50..<58: steps.append(.delete(kind, number))
            case 58..<62 where abilities.queues: steps.append(.setDelete(kind, number))
            case 62..<67 where abilities.evicts: steps.append(.evict(kind, number))
            case 67 where abilities.wipes: steps.append(.wipe)
            case 68..<71: steps.append(.flush)
            case 71..<73 where abilities.reopens: steps.append(.reopen)
            case 73..<76 where abilities.fails: steps.append(.fail(.random(kind, using: &generator)))
            case 76..<94: steps.append(.get(kind, number))
            case 94..<100: steps.append(.getList(key, kind))
            default: break
            }
        }
        return RandomProgram(steps)
    }

    /// The smallest program near this one that still fails; `fails` runs one.
    func shrunk(attempts: Int = 600, _ fails: (RandomProgram) throws -> Bool) rethrows -> RandomProgram {
        var best = self
        var left = attempts
        var hasImproved = true
        func isWorse(_ steps: [Step]) throws -> Bool {
            guard left > 0 else { return false }
            left -= 1
            guard try fails(RandomProgram(steps)) else { return false }
            best = RandomProgram(steps)
            return true
        }
        while hasImproved, left > 0 {
            hasImproved = false
            var size = max(best.steps.count / 2, 1)
            while true {
                var start = 0
                while start < best.steps.count {
                    var fewer = best.steps
                    fewer.removeSubrange(start..<min(start + size, fewer.count))
                    if try isWorse(fewer) { hasImproved = true } else { start += size }
                }
                guard size > 1 else { break }
                size /= 2
            }
            var index = 0
            while index < best.steps.count {
                var wasSimplified = false
                for simple in best.steps[index].simpler {
                    var simpler = best.steps
                    simpler[index] = simple
                    if try isWorse(simpler) {
                        (wasSimplified, hasImproved) = (true, true)
                        break
                    }
                }
                if !wasSimplified { index += 1 }
            }
        }
        return best
    }
}
