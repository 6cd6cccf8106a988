@testable import GroveCompare
import Testing

@Suite("Figures and names")
struct FigureTests {
    @Test("Globs choose workloads")
    func globs() {
        #expect(Workload.allCases.filter { $0.matches("read-*") }.count == 6)
        #expect(Workload.allCases.filter { $0.matches("*") }.count == Workload.allCases.count)
        #expect(Workload.allCases.filter { $0.matches("write-?ne") } == [.writeOne])
        #expect(Workload.allCases.filter { $0.matches("read") }.isEmpty)
    }

    @Test("Quantiles are those of the nearest rank")
    func quantiles() {
        let latencies = Latencies((1...1_000).map { UInt64($0 * 1_000) })
        #expect(latencies.quantile(0.5) == 500 && latencies.quantile(0.99) == 990 && latencies.quantile(0.999) == 999)
        #expect(latencies.maximum == 1_000 && Latencies([]).quantile(0.5) == nil)
    }

    @Test("Numbers are grouped and rounded")
    func numbers() {
        #expect(1_234_567.grouped == "1,234,567" && (-12).grouped == "-12" && 999.grouped == "999")
        #expect(0.05.fixed(1) == "0.1" && 12.345.fixed(2) == "12.35" && 999.96.fixed(1) == "1,000.0")
        #expect(CompareResult.short(1_620_000) == "1.62M" && CompareResult.short(431_000) == "431k")
    }
}
