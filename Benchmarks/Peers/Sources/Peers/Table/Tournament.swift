import Foundation

/// Rounds in which all contestants have their turns, one after the other: what disturbs the machine for a while meets
/// all of them.
struct Tournament {
    let settings: Settings
    private var table = MedianTable()
    /// Whether no turn has failed.
    private(set) var isSound = true

    init(_ settings: Settings) { self.settings = settings }

    /// Runs all rounds and prints the table; the standard error is told of each turn.
    mutating func run() throws {
        let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
        for round in 1...settings.rounds {
            for contestant in settings.contestants {
                if let before = settings.before, contestant.isGrove {
                    try run(before, contestant, as: "before: \(contestant.rawValue)", round)
                }
                try run(own, contestant, as: contestant.rawValue, round)
            }
        }
        print(table)
    }

    private mutating func run(_ program: String, _ contestant: ContestantName, as name: String, _ round: Int) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            settings.mode.rawValue, contestant.rawValue, "--once", "--messages", "\(settings.messages)", "--directory",
            settings.directory,
        ]
        let output = Pipe()
        process.standardOutput = output
        let start = now()
        try process.run()
        let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let isDone = process.terminationReason == .exit && process.terminationStatus == 0
        isSound = isSound && isDone
        let time = Int(microseconds(since: start) / 1e6)
        let note = "round \(round) of \(settings.rounds), \(name): \(isDone ? "" : "FAILED after ")\(time) s\n"
        FileHandle.standardError.write(Data(note.utf8))
        for line in lines.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let value = Double(words[1]) else { continue }
            table.append(value, row: String(words[0]), column: name)
        }
    }
}
