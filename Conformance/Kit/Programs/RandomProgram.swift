/// A script of calls, which can be read, shortened and replayed.
package struct RandomProgram: Equatable, Sendable, CustomStringConvertible {
    var steps: [Step]

    init(_ steps: [Step]) { self.steps = steps }

    /// Reads a script: one step per line; empty lines and lines that begin with `#` are skipped.
    ///
    /// - Throws: ``CheckFailure`` that names the first line that is not a step.
    package init(script: String) throws(CheckFailure) {
        steps = []
        for (index, line) in script.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard !line.isEmpty, line.first != "#" else { continue }
            guard let step = Step(String(line)) else {
                throw CheckFailure("Line \(index + 1) of the script is no step: \(line)")
            }
            steps.append(step)
        }
    }

    /// The text of the script.
    package var description: String { steps.map { "\($0)\n" }.joined() }

    /// Whether a step evicts, so that a read may be a miss instead of a value.
    var forgets: Bool { steps.contains(where: \.forgets) }

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
