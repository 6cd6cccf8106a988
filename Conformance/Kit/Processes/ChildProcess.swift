import Dispatch
import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private let starting = DispatchSemaphore(value: 1)

/// A child process whose lines are read as they come, with a limit to every wait; used by one thread at a time.
///
/// It is killed when its owner lets go of it.
package final class ChildProcess {
    /// How a process ended.
    package enum Ending: Equatable, CustomStringConvertible {
        case exited(Int32)
        case signalled(Int32)

        package var description: String {
            switch self {
            case .exited(let status): "exit \(status)"
            case .signalled(let number): "signal \(number)"
            }
        }
    }

    /// What reading a line led to.
    package enum Reading: Equatable {
        case line(String)
        /// The process closed its output, as it does at its end.
        case ended
        case timedOut
    }

    private let identifier: pid_t
    private let input: Int32
    private let output: Int32
    private let errors: Int32
    private var pending: [UInt8] = []
    private var complaint: [UInt8] = []
    private var ending: Ending?

    /// Starts `command` with `words` after its own arguments, and with `environment` over this process's own.
    package init(_ command: WorkerCommand, _ words: [String], environment: [String: String] = [:]) throws(CheckFailure)
    {
        // Between the making of an end and its mark no other process of the kit's may be started, or it would inherit
        // it.
        starting.wait()
        defer { starting.signal() }
        let (inputEnd, input) = try ChildProcess.pipe()
        let (output, outputEnd) = try ChildProcess.pipe()
        let (errors, errorEnd) = try ChildProcess.pipe()
        self.input = input
        self.output = output
        self.errors = errors
        defer { for end in [inputEnd, outputEnd, errorEnd] { _ = close(end) } }

        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t? = nil
        #else
            var actions = unsafe posix_spawn_file_actions_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (end, standard) in [(inputEnd, STDIN_FILENO), (outputEnd, STDOUT_FILENO), (errorEnd, STDERR_FILENO)] {
            unsafe posix_spawn_file_actions_adddup2(&actions, end, standard)
        }
        // A backtrace of a trap takes longer than most rules.
        let all = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(environment) { $1 }
        let words = [command.executable] + command.arguments + words
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe all.map { unsafe strdup("\($0.key)=\($0.value)") }
        unsafe arguments.append(nil)
        unsafe variables.append(nil)
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var child = pid_t()
        var status: Int32 = EAGAIN
        // A machine that has no process to spare for a moment says nothing of the backend.
        for attempt in 0..<100 where status == EAGAIN {
            if attempt > 0 { usleep(100_000) }
            status = unsafe posix_spawn(&child, command.executable, &actions, nil, arguments, variables)
        }
        identifier = child
        guard status == 0 else {
            // The end of this object closes the pipes; it must not kill what was never there.
            ending = .exited(127)
            throw CheckFailure("\(command.executable) cannot be started (error \(status)).")
        }
        for end in [output, errors] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        if ending == nil {
            kill()
            wait()
        }
        for end in [input, output, errors] { _ = close(end) }
    }

    /// What the process wrote to its standard error until now, as far as it was read; its beginning, if there is much.
    package var errorText: String { String(decoding: complaint.prefix(4_000), as: UTF8.self) }

    /// The next line of its standard output, without the line break.
    package func nextLine(within limit: Duration) -> Reading {
        let deadline = ContinuousClock.now + limit
        while true {
            if let end = pending.firstIndex(of: 0x0A) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                return .line(line)
            }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return .timedOut }
            let (seconds, attoseconds) = left.components
            var polled = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
            ]
            let milliseconds = Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
            guard unsafe poll(&polled, 2, milliseconds) > 0 else { continue }
            if polled[1].revents != 0 { drain(errors, &complaint) }
            guard polled[0].revents != 0 else {
                // The error stream alone is at its end: only the output matters now.
                if polled[1].revents & Int16(POLLHUP) != 0 { usleep(1_000) }
                continue
            }
            if !drain(output, &pending), !pending.contains(0x0A) {
                drain(errors, &complaint)
                return .ended
            }
        }
    }

    /// Every line until the end.
    ///
    /// - Returns: the lines, and whether the process ended in time; one that did not is killed.
    package func lines(within limit: Duration) -> (lines: [String], isInTime: Bool) {
        let deadline = ContinuousClock.now + limit
        var lines: [String] = []
        while true {
            switch nextLine(within: ContinuousClock.now.duration(to: deadline)) {
            case .line(let line): lines.append(line)
            case .ended: return (lines, true)
            case .timedOut:
                kill()
                return (lines, false)
            }
        }
    }

    /// Sends a line to its standard input.
    package func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe systemWrite(input, $0) }
    }

    /// Kills it, as a crash of the system's making would.
    ///
    /// A process that was waited for is left alone: its number may be another's by now.
    package func kill() { if ending == nil, identifier > 0 { _ = systemKill(identifier, SIGKILL) } }

    /// Stops it where it stands, as a debugger does, until ``goOn()``.
    package func stop() { if ending == nil, identifier > 0 { _ = systemKill(identifier, SIGSTOP) } }

    /// Lets it go on after ``stop()``.
    package func goOn() { if ending == nil, identifier > 0 { _ = systemKill(identifier, SIGCONT) } }

    /// Waits for its end.
    @discardableResult
    package func wait() -> Ending {
        if let ending { return ending }
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let number = status & 0x7F
        let ending: Ending = number == 0 ? .exited((status >> 8) & 0xFF) : .signalled(number)
        self.ending = ending
        return ending
    }

    /// Reads what is there.
    ///
    /// - Returns: false at the end of the stream.
    @discardableResult
    private func drain(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 && errno == EAGAIN }
            bytes += buffer[..<count]
        }
    }

    private static func pipe() throws(CheckFailure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
            let status = unsafe Darwin.pipe(&ends)
        #elseif canImport(Musl)
            let status = unsafe Musl.pipe(&ends)
        #elseif canImport(Android)
            let status = unsafe Android.pipe(&ends)
        #else
            let status = unsafe Glibc.pipe(&ends)
        #endif
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        guard status == 0 else { throw CheckFailure("The system has no pipe to give (error \(errno)).") }
        return (ends[0], ends[1])
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemKill(_ identifier: pid_t, _ number: Int32) -> Int32 { kill(identifier, number) }
