import GroveModel

/// The look-out of an outbox for the changes of other processes: one look at a time.
///
/// If it is asked to look while it does, it looks once more behind that.
@MainActor
final class Lookout {
    /// The handle that notifies the outbox of commits of other processes.
    var following: (any FollowedCache)?
    /// The look that is under way.
    private(set) var looking: Task<Void, Never>?
    private var isLookDue = false

    /// Looks by a call of `once`, and again if it is asked to meanwhile.
    func look(_ once: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
        if let looking {
            isLookDue = true
            return looking
        }
        let task = Task {
            repeat {
                isLookDue = false
                await once()
            } while isLookDue
            looking = nil
        }
        looking = task
        return task
    }
}
