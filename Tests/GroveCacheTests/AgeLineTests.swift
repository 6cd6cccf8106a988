import GroveModel
import Testing

@testable import GroveCache

/// What is kept of the times of calls, and what becomes of it on the way through a file.
@Suite("Lines of ages")
struct AgeLineTests {
    @Test(
        "A call is told to be younger than it is at no time, and older by little",
        arguments: 1...4 as ClosedRange<UInt64>)
    func precision(seed: UInt64) {
        var generator = Seeded(seed)
        var line = AgeLine(after: 0)
        var calls: [Double] = []
        var time = 0.0
        for number in 1...200_000 as ClosedRange<UInt64> {
            let isNight = Int.random(in: 0..<2_000, using: &generator) == 0
            time += isNight ? 30_000 : Double.random(in: 0...10, using: &generator)
            let wentBack = line.note(number, at: time)
            #expect(!wentBack)
            calls.append(time)
        }
        #expect(line.samples.count < 2_000, "\(time / 86_400) days take \(line.samples.count) samples")
        for _ in 0..<20_000 {
            let index = Int.random(in: 0..<calls.count, using: &generator)
            guard let told = line.time(of: UInt64(index + 1)) else {
                Issue.record("seed \(seed): nothing is known of call \(index + 1)")
                return
            }
            let age = time - calls[index]
            guard told <= calls[index], calls[index] - told <= 1 + age / 32 else {
                Issue.record("seed \(seed): call \(index + 1), \(age) s ago, is told to be of \(time - told) s ago")
                return
            }
            let least = line.leastNumber(since: told)
            #expect(least <= UInt64(index + 1))
        }
    }

    @Test("Numbers that others used have no time, and those behind them keep theirs")
    func gaps() {
        var line = AgeLine(after: 10)
        _ = line.note(11, at: 100)
        _ = line.note(12, at: 200)
        line.moveUp(behind: 11, by: 5)
        #expect(line.time(of: 10) == nil)
        #expect(line.time(of: 11) == 100)
        #expect((12...16).allSatisfy { line.time(of: $0) == nil })
        #expect(line.time(of: 17) == 200)
        #expect(line.confirmsBelow == 17)
        line.moveUp(behind: 17, by: 1)
        #expect(line.time(of: 18) == nil)
        #expect(line.time(of: 19) == 200)
        #expect(line.confirmsBelow == 19)
    }

    @Test("Very many gaps take the oldest of what is known along")
    func manyGaps() {
        var line = AgeLine(after: 0)
        var number: UInt64 = 0
        for round in 0..<1_000 {
            number += 1
            _ = line.note(number, at: Double(round) * 10)
            line.moveUp(behind: number, by: 1)
            number += 1
        }
        #expect(line.gaps.count <= 256)
        #expect(line.time(of: 1) == nil)
        #expect(line.time(of: number - 1) == 9_990)
        #expect(line.time(of: number) == nil)
    }

    private var line: AgeLine {
        var line = AgeLine(after: 3)
        for number in 4...40 as ClosedRange<UInt64> { _ = line.note(number, at: Double(number) * 2) }
        line.moveUp(behind: 30, by: 2)
        return line
    }

    private var file: AgeFile {
        AgeFile(
            session: 7, sequence: 42, line: line,
            confirmations: (1...50).map { (hash: UInt64($0) << 32, time: Double($0)) })
    }

    @Test("A file gives back what was put into it, and any other bytes give nothing")
    func files() throws {
        let bytes = try #require(file.encoded(limit: .max))
        let read = try #require(AgeFile(bytes))
        #expect(read.session == 7 && read.sequence == 42)
        #expect(read.line.samples == line.samples && read.line.gaps == line.gaps)
        #expect(read.line.floor == 3 && read.line.latest == line.latest)
        #expect(read.confirmations.map(\.hash) == file.confirmations.map(\.hash))
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1 << UInt8(index % 8)
            #expect(AgeFile(damaged) == nil)
            #expect(AgeFile(Array(bytes[..<index])) == nil)
        }
        #expect(AgeFile(bytes + [0]) == nil)
    }

    @Test("A file that must be small keeps the youngest confirmations, and is none where not even the line fits")
    func smallFiles() throws {
        let whole = try #require(file.encoded(limit: .max))
        let small = try #require(file.encoded(limit: whole.count - 160))
        #expect(small.count <= whole.count - 160)
        let read = try #require(AgeFile(small))
        #expect(Set(read.confirmations.map(\.time)) == Set((11...50).map(Double.init)))
        #expect(file.encoded(limit: 200) == nil)
    }

    /// A store as a later opening finds it.
    private func opened(_ session: UInt64, _ sequence: UInt64) -> CacheAges {
        var state = StoreState()
        state.note(session, upTo: 0)
        state.sequence = sequence
        return CacheAges(state)
    }

    private func loaded(_ session: UInt64, _ sequence: UInt64, at reading: Double? = nil) -> CacheAges {
        var ages = opened(session, sequence)
        if let reading { ages.note(sequence + 1, at: reading) }
        ages.load(file, epoch: ages.confirmations.epoch)
        return ages
    }

    @Test("What was saved is believed of the store as it was left, and of what came before where it went on")
    func loading() {
        let same = loaded(7, 42)
        #expect(same.line.time(of: 42) == 80)
        #expect(same.confirmations.count == 50)
        let later = loaded(7, 45)
        #expect(later.line.time(of: 42) == 80)
        #expect((43...45).allSatisfy { later.line.time(of: $0) == nil })
        let busy = loaded(7, 42, at: 500)
        #expect(busy.line.time(of: 42) == 80)
        #expect(busy.line.time(of: 43) == 500)
    }

    @Test("What was saved is not believed of another store, an earlier one, or after the clock was set back")
    func notLoading() {
        let other = loaded(8, 42)
        #expect(other.line.time(of: 42) == nil)
        #expect(other.confirmations.count == 0)
        var earlier = loaded(7, 20)
        #expect(earlier.line.time(of: 20) == 40)
        #expect(earlier.line.time(of: 21) == 40, "which a call is that comes later, and older than it is")
        earlier.note(21, at: 500)
        #expect(earlier.line.time(of: 21) == 500)
        let emptied = loaded(0, 0)
        #expect(emptied.line.samples.isEmpty)
        let back = loaded(7, 42, at: 50)
        #expect(back.line.time(of: 42) == nil)
        #expect(back.line.time(of: 43) == 50)
        #expect(back.confirmations.count == 0)
    }

    @Test("Confirmations are bounded, and the older half goes")
    func bounded() {
        let confirmations = Confirmations()
        var line = AgeLine(after: 0)
        for number in 1...3 as ClosedRange<UInt64> { _ = line.note(number, at: Double(number) * 100) }
        let count = UInt64(Confirmations.most)
        for (number, range) in [(1, 0..<count / 2), (2, count / 2..<count), (3, count..<count + 100)] {
            confirmations.note(
                range.map { (hash: $0 &* 0x9E37_79B9_7F4A_7C15 | 1, number: UInt64(number)) }, line: line,
                epoch: confirmations.epoch)
        }
        #expect(confirmations.count <= Confirmations.most)
        #expect(confirmations.time((count + 5) &* 0x9E37_79B9_7F4A_7C15 | 1) == 300)
        #expect(confirmations.time((count - 5) &* 0x9E37_79B9_7F4A_7C15 | 1) == 200)
        #expect(confirmations.time(5 &* 0x9E37_79B9_7F4A_7C15 | 1) == nil)
    }

    @Test("Of confirmations of one time, those that stay are spread over the whole table")
    func spread() {
        let confirmations = Confirmations()
        var line = AgeLine(after: 0)
        _ = line.note(1, at: 100)
        var random = Seeded(7)
        let calls = (0...Confirmations.most).map { _ in (hash: random.next(), number: UInt64(1)) }
        confirmations.note(calls, line: line, epoch: confirmations.epoch)
        let kept = confirmations.takeAll().map(\.hash)
        #expect(kept.count == Confirmations.most / 2 + 1)
        // A slot is told by the low 17 bits.
        let low = kept.count { $0 & 0x1_0000 == 0 }
        #expect(low > kept.count * 4 / 10 && low < kept.count * 6 / 10)
    }

    @Test("A later confirmation takes the place of an earlier one, and never the other way round")
    func order() {
        let confirmations = Confirmations()
        var line = AgeLine(after: 0)
        for number in 1...3 as ClosedRange<UInt64> { _ = line.note(number, at: Double(number) * 100) }
        for (number, time, changes) in [(2, 200.0, 1), (1, 200, 1), (2, 200, 1), (3, 300, 2)] {
            confirmations.note([(hash: 7, number: UInt64(number))], line: line, epoch: confirmations.epoch)
            #expect(confirmations.time(7) == time && confirmations.count == 1 && confirmations.changes == changes)
        }
    }

    @Test("What commits confirmed before everything was forgotten is not noted afterwards")
    func epochs() {
        let confirmations = Confirmations()
        var line = AgeLine(after: 0)
        _ = line.note(1, at: 100)
        let epoch = confirmations.epoch
        confirmations.removeAll()
        confirmations.note([(hash: 5, number: 1)], line: line, epoch: epoch)
        #expect(confirmations.count == 0)
    }
}
