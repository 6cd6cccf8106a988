import GroveConformance
import RocksStore

struct RocksHarness: StoreHarness {
    typealias Store = RocksStore
    let options = RocksStore.Options()
}

let assertion =
    "Debian builds RocksDB 7.8 with assertions, and it aborts if its log cannot be written (writable_file_writer.h:312)."
await ConformanceMain.run(
    RocksHarness.self, excuses: ["DUR-05", "DUR-12", "DUR-13"].map { RuleExcuse($0, because: assertion) })
