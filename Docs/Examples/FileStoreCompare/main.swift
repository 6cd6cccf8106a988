import FileStore
import GroveCompareMain
import GroveConformance

struct FileHarness: StoreHarness {
    typealias Store = FileStore
    let options = FileStore.Options()
}

await CompareMain.run(FileHarness.self)
