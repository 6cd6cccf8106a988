import FileStore
import GroveConformance

struct FileHarness: StoreHarness {
    typealias Store = FileStore
    let options = FileStore.Options()
}

await ConformanceMain.run(FileHarness.self)
