// swift run TwoPanes sqlite FOLDER [offline], then type: like 2, name 1 Anna, quit
import Foundation
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveSQLite

@main
struct TwoPanes {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 2 else { return print("usage: TwoPanes sqlite|lmdb|leveldb|memory FOLDER [offline]") }
        let lines = AsyncStream<String> { typed in
            Task.detached {
                while let line = readLine() { typed.yield(line) }
                typed.finish()
            }
        }
        try await play(lines, arguments[1], arguments[2], isOffline: arguments.last == "offline") {
            print("\u{1B}[2J\u{1B}[H\($0)")
        }
    }

    /// Shows a frame at the beginning, and for each line one at once, and one when everything is stored and sent.
    @MainActor
    static func play(
        _ lines: AsyncStream<String>, _ backend: String, _ folder: String, isOffline: Bool, show: (String) -> Void
    ) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let server = Server(file: folder + "/server", isReachable: !isOffline)
        let store = folder + "/" + backend
        let panes =
            switch backend {
            case "sqlite": try Panes(SQLiteCache(directory: store), server)
            case "lmdb": try Panes(LMDBCache(directory: store), server)
            case "leveldb": try Panes(LevelDBCache(directory: store), server)
            default: try Panes(MemoryCache(), server)
            }
        await panes.load()
        try await panes.settle()
        show(panes.frame)
        for await line in lines {
            guard try await panes.type(line) else { break }
            show(panes.frame)
            try await panes.settle()
            show(panes.frame)
        }
        await panes.close()
    }
}
