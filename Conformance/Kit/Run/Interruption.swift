import Dispatch
import GrovePlatform
import Synchronization

/// Whether the user asked a run to end: then what is there is printed.
package final class Interruption: Sendable {
    private let number = Atomic<Int32>(0)

    /// Makes an interruption that was not asked for yet.
    package init() {}

    /// The signal that asked for the end, or `nil`.
    package var signal: Int32? {
        let number = number.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// Asks for the end.
    ///
    /// - Returns: false if the end was asked for before: the user is tired of waiting.
    @discardableResult
    package func request(_ signal: Int32) -> Bool {
        number.compareExchange(expected: 0, desired: signal, ordering: .acquiringAndReleasing).exchanged
    }

    /// From now on an interrupt asks for the end, and a second one ends the process at once.
    package func listen() {
        for number in [SIGINT, SIGTERM] {
            ignore(number)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
            source.setEventHandler { [self] in
                if !request(number) { _exit(128 + number) }
            }
            source.resume()
            // Sources live as long as the process.
            _ = unsafe Unmanaged.passRetained(source as AnyObject)
        }
    }
}

/// The source sees the signal all the same.
private func ignore(_ number: Int32) { _ = signal(number, SIG_IGN) }
