import Foundation

/// What the command line asks for.
struct Settings {
    var mode = Mode.main
    var contestants: [ContestantName] = []
    var messages = 20_000
    var rounds = 3
    /// Where stores are made: in memory, if the system has a file system there.
    var directory =
        FileManager.default.isWritableFile(atPath: "/dev/shm")
        ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    /// A build of this program with another revision of Grove, which takes part too.
    var before: String?
    /// Measures one contestant in this process, and prints its lines.
    var isOnce = false

    static let usage = """
        usage: Peers [mode] [contestant …] [--messages N] [--rounds N] [--directory PATH] [--before PROGRAM]

        modes:        \(Mode.allCases.map(\.rawValue).joined(separator: ", "))
        contestants:  \(ContestantName.allCases.map(\.rawValue).joined(separator: ", "))

        Measures the contestants in turn, each in a process of its own, and prints a table of medians.
        --messages 20000   how many; one person sends ten
        --rounds 3         how often each contestant has its turn
        --directory PATH   where stores are made; /dev/shm where there is one
        --before PROGRAM   a build of this program with another revision of Grove: its backends get columns too
        --once             measures one contestant in this process, and prints a line for each measure
        """

    /// Reads what follows the program's name.
    init(_ arguments: some Sequence<String>) throws {
        var words = arguments.makeIterator()
        while let word = words.next() {
            if let mode = Mode(rawValue: word) {
                self.mode = mode
            } else if let contestant = ContestantName(rawValue: word) {
                contestants.append(contestant)
            } else if word == "--once" {
                isOnce = true
            } else if let value = words.next() {
                try set(word, value)
            } else {
                throw Usage()
            }
        }
        if contestants.isEmpty { contestants = ContestantName.allCases.filter { $0.isGrove || !mode.isAboutQueue } }
        // Pages have 100 messages.
        guard messages >= 100, rounds > 0, !isOnce || contestants.count == 1 else { throw Usage() }
    }

    private mutating func set(_ option: String, _ value: String) throws {
        switch (option, Int(value)) {
        case ("--messages", let number?): messages = number
        case ("--rounds", let number?): rounds = number
        case ("--directory", _): directory = value
        case ("--before", _): before = value
        default: throw Usage()
        }
    }

    /// The command line makes no sense.
    struct Usage: Error {}
}
