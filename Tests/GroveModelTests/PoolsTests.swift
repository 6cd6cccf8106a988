import Dispatch
import Foundation
import GroveModel
import Synchronization
import Testing
import TestSupport

@Suite("Pools") struct PoolsTests {
    @Test("A thread that stays on a core has that core's pool", arguments: Cores.usable)
    func threads(core: Int) {
        let pools = Pools(count: 8) { 0 }
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let isKept = Cores.stay(on: core)
            let own = pools.own
            #expect(isKept ? own == core % 8 : (0..<8).contains(own))
            ended.signal()
        }
        ended.wait()
    }

    @Test("What another pool has is found, and the own one is not asked")
    func outside() {
        let numbers = Mutex(0)
        let pools = Pools(count: 4) {
            numbers.withLock { number in
                defer { number += 1 }
                return number
            }
        }
        for number in 0..<4 {
            var asked: [Int] = []
            #expect(
                pools.first(outside: number) { value in
                    asked.append(value)
                    return nil as Int?
                } == nil)
            #expect(asked.sorted() == (0..<4).filter { $0 != number })
            #expect(pools.first(outside: number) { $0 % 2 == 0 ? nil : $0 } != nil)
        }
        let only = Pools(count: 1) { 7 }
        #expect(only.own == 0)
        #expect(only.first(outside: 0) { $0 } == nil)
    }

    @Test("What changes on all pools at once changes between two looks at any of them")
    func together() {
        let pools = Pools(count: 4) { 0 }
        let isOver = Atomic(false)
        let done = DispatchGroup()
        for _ in 0..<2 {
            done.enter()
            Thread.detachNewThread {
                var last = 0
                while !isOver.load(ordering: .relaxed) {
                    for number in 0..<4 {
                        let value = pools.withLock(of: number) { $0 }
                        // One that is looked at later is never older.
                        #expect(value >= last)
                        last = value
                    }
                }
                done.leave()
            }
        }
        for _ in 0..<2_000 { pools.withAll { visit in visit { $0 += 1 } } }
        isOver.store(true, ordering: .relaxed)
        done.wait()
        var values: [Int] = []
        pools.forEach { values.append($0) }
        #expect(values == [2_000, 2_000, 2_000, 2_000])
    }

    @Test("A value behind a lock goes with it, and may need any alignment")
    func memory() {
        final class Token {}
        weak var token: Token?
        do {
            let made = Token()
            token = made
            let lock = Lock((made, SIMD64<UInt8>(repeating: 3)))
            let pools = Pools(count: 2) { made }
            #expect(lock.withLock { $0.1[63] } == 3)
            #expect(pools.withLock(of: 1) { $0 === made })
        }
        #expect(token == nil)
    }
}
