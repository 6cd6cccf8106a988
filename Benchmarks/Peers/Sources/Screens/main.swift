// A list on screen while others edit it: Grove's `CollectionDataProvider` beside GRDB's `ValueObservation`; see
// README.md.
import Foundation

let usage = """
    usage: Screens grove|grdb ROWS [SECONDS]     a list of ROWS on screen, 60 edits a second by another writer
           Screens grove-appends ROWS [SECONDS]  the same, while the screen appends ten rows a second
           Screens grove-process ROWS [SECONDS]  the same by another process
           Screens grove-window ROWS [SECONDS]   the same in a window of 50 rows and more
           Screens grdb-window ROWS [SECONDS]    the first 200 rows by GRDB, with LIMIT
           Screens idle ROWS [SECONDS]           the same list, which nobody edits: what the machine does by itself
           Screens upsert ROWS                   what an upsert in a stored list of ROWS takes
           Screens windows ROWS                  what a window of 50 rows takes, beside 50 reads and a list of all rows
    """

func refuse() -> Never {
    FileHandle.standardError.write(Data("\(usage)\n".utf8))
    exit(2)
}

@MainActor
func run(_ arguments: [String]) async throws {
    guard arguments.count >= 2, let rows = Int(arguments[1]), rows > 0 else { refuse() }
    let seconds = arguments.count > 2 ? Double(arguments[2]) ?? 10 : 10
    let directory = NSTemporaryDirectory() + "grove-screens-\(ProcessInfo.processInfo.processIdentifier)"
    defer { try? FileManager.default.removeItem(atPath: directory) }

    switch arguments[0] {
    case "grove": try await ListRun(seconds: seconds).run(GroveScreen(directory, rows: rows))
    case "grove-appends": try await ListRun(seconds: seconds, appends: true).run(GroveScreen(directory, rows: rows))
    case "grove-window": try await ListRun(seconds: seconds).run(WindowScreen(directory, rows: rows))
    case "idle":
        try await ListRun(seconds: seconds, edits: { _ in try await Task.sleep(for: .seconds(seconds)) }).run(
            GroveScreen(directory, rows: rows))
    case "grove-process":
        let screen = try GroveScreen(directory, rows: rows, history: 1_000)
        screen.noticeOthers()
        try await ListRun(
            seconds: seconds,
            edits: { count in
                let writer = Process()
                writer.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
                writer.arguments = ["edit", "\(count)", directory]
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    writer.terminationHandler = { _ in continuation.resume() }
                    do { try writer.run() } catch { continuation.resume(throwing: error) }
                }
            }
        ).run(screen)
    case "edit": try await edits(in: arguments[2], count: rows)
    case "grdb": try await ListRun(seconds: seconds).run(GRDBScreen(directory, rows: rows))
    case "grdb-window":
        try await ListRun(seconds: seconds).run(GRDBScreen(directory, rows: rows, limit: 200))
    case "windows": try await windows(in: directory, rows: rows)
    case "upsert": try await upserts(in: directory, rows: rows)
    default: refuse()
    }
}

Task { @MainActor in
    do { try await run(Array(CommandLine.arguments.dropFirst())) } catch { fatalError("\(error)") }
    exit(0)
}
MainTurns.run()
