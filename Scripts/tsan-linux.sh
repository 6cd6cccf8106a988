# For Scripts/tsan.sh and Scripts/sanitize.sh, which read it: what the thread sanitizer needs on Linux.

# Makes Mutex the name of Grove's own lock, into which the thread sanitizer sees, in every folder of sources that is given and
# that uses one. A module's own type goes before an imported one, so nothing else changes.
replace_mutex() {
    for folder in "$@"; do
        grep -rqw 'import Synchronization' "$folder" || continue
        printf '%s\n' 'package import GroveModel' '' 'package typealias Mutex<Value: ~Copyable> = Lock<Value>' \
            > "$folder/Mutex.swift"
        # A file sees the members of what it imports by itself.
        grep -rlw 'import Synchronization' "$folder" | xargs grep -Lw 'import GroveModel' | while read -r file; do
            sed -i.bak 's/^\(.*import Synchronization\)$/import GroveModel\n\1/' "$file"
            rm "$file.bak"
        done
    done
}

# annotate_continuations FOLDER…: tells the sanitizer that what was done before a continuation was resumed happened before its task goes on.
# The Swift runtime (6.3) tells it so if the task was suspended by then, and does not if it was not.
annotate_continuations() {
    for folder in "$@"; do
        grep -rqE 'withChecked(Throwing)?Continuation' "$folder" || continue
        cat >"$folder/Continuation.swift" <<'SWIFT'
import _Concurrency

@_silgen_name("__tsan_acquire")
private func acquire(_ address: UnsafeRawPointer)

/// `resume` has released the address of the task.
private func acquireTask() {
    withUnsafeCurrentTask { task in
        if let task { acquire(unsafeBitCast(task, to: UnsafeRawPointer.self)) }
    }
}

/// The one of the standard library, with what the sanitizer needs; as the next.
func withCheckedContinuation<T>(
    isolation: isolated (any Actor)? = #isolation, function: String = #function,
    _ body: (CheckedContinuation<T, Never>) -> Void
) async -> sending T {
    defer { acquireTask() }
    return await _Concurrency.withCheckedContinuation(isolation: isolation, function: function, body)
}

func withCheckedThrowingContinuation<T>(
    isolation: isolated (any Actor)? = #isolation, function: String = #function,
    _ body: (CheckedContinuation<T, any Error>) -> Void
) async throws -> sending T {
    defer { acquireTask() }
    return try await _Concurrency.withCheckedThrowingContinuation(isolation: isolation, function: function, body)
}
SWIFT
    done
}
