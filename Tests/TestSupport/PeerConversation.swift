import Foundation

/// A peer that is told what to do, line by line, and answers each line when it has done it.
///
/// A line is words between tabs. The peer is there until ``end()``, or until this is gone.
package final class PeerConversation {
    private static let mark = "answer\t"
    private let process: Process
    private let (questions, answers) = (Pipe(), Pipe())
    private var unread = Data()

    init(_ process: Process) throws {
        self.process = process
        process.standardInput = questions
        process.standardOutput = answers
        try process.run()
        // So that the peer's end is seen here.
        try answers.fileHandleForWriting.close()
        try questions.fileHandleForReading.close()
    }

    /// Tells the peer to do something; returns its answer when that is done.
    ///
    /// - Throws: ``Failure`` where the peer is gone.
    @discardableResult
    package func ask(_ words: String...) throws -> String { try ask(words) }

    /// The same.
    @discardableResult
    package func ask(_ words: [String]) throws -> String {
        try questions.fileHandleForWriting.write(contentsOf: Data((words.joined(separator: "\t") + "\n").utf8))
        while true {
            while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread = Data(unread[(end + 1)...])
                // Other lines are the test library's.
                if line.hasPrefix(Self.mark) { return String(line.dropFirst(Self.mark.count)) }
            }
            let more = answers.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure(question: words) }
            unread += more
        }
    }

    /// Lets the peer go; returns whether its test passed.
    package func end() throws -> Bool {
        try questions.fileHandleForWriting.close()
        return PeerProcess.end(process)
    }

    /// Sends the peer a signal: `SIGKILL`, `SIGSTOP`, `SIGCONT`.
    package func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// The peer has ended without an answer.
    package struct Failure: Error {
        /// What it was asked.
        package let question: [String]
    }

    /// In the peer: the next words; `nil` when it is to go.
    package static func question() -> [String]? {
        readLine()?.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }

    /// In the peer: the next words, one after the other, read by a thread of their own.
    package static func questions() -> AsyncStream<[String]> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let words = question() { continuation.yield(words) }
                continuation.finish()
            }
        }
    }

    /// In the peer: answers.
    package static func answer(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((mark + text + "\n").utf8))
    }
}
