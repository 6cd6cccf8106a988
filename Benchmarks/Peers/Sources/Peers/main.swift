// Grove's backends beside what one would write instead; see README.md.
import Foundation

do {
    let settings = try Settings(CommandLine.arguments.dropFirst())
    if settings.isOnce {
        let directory = "\(settings.directory)/grove-peers-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let feed = Feed(messages: settings.messages)
        try settings.contestants[0].run(settings.mode, feed, in: directory)
    } else {
        var tournament = Tournament(settings)
        try tournament.run()
        if !tournament.isSound { exit(1) }
    }
} catch is Settings.Usage {
    FileHandle.standardError.write(Data("\(Settings.usage)\n".utf8))
    exit(2)
}
