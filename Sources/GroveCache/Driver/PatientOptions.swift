/// Options of a store that say how long it waits for a lock that another process holds.
///
/// The cache waits as long for its own locks.
package protocol PatientOptions: Sendable {
    /// The time that a call waits before it throws `locked`.
    var lockTimeout: Duration { get }
}
