/// Options of a store that say how long a lock is waited for that another process holds.
///
/// The cache waits as long for the locks of its own.
package protocol PatientOptions: Sendable {
    /// How long a call waits before it throws `locked`.
    var lockTimeout: Duration { get }
}
