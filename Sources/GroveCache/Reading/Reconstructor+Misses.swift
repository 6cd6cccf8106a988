import GroveCoding
import GroveModel

/// The errors and misses of nodes that cannot be read.
extension Reconstructor {
    /// A damaged root is an error; below a root it is a miss of the tree.
    func damage(_ failure: RecordHeader.Failure, _ identifier: UnsafeRawBufferPointer) -> NodeReadFailure {
        guard unsafe state.pointee.descent.isBelowRoot else {
            return unsafe .failed(Reconstructor.error(failure, text(identifier)))
        }
        return unsafe .miss(
            CacheMiss(failure == .unsupportedFormat ? .unsupportedFormat : .corrupted, text(identifier)))
    }

    static func error(_ failure: RecordHeader.Failure, _ identifier: ModelIdentifier) -> CacheError {
        switch failure {
        case .corrupted: CacheError(.corrupted, "The stored record is damaged.", identifier: identifier)
        case .unsupportedFormat:
            CacheError(.unsupportedFormat, "A later version of Grove wrote the record.", identifier: identifier)
        }
    }

    func noteDeleted(_ identifier: UnsafeRawBufferPointer, mayReturn: Bool = false) -> NodeReadFailure {
        unsafe state.pointee.deletion.note(identifier, mayReturn: mayReturn)
        return .deleted
    }

    func text(_ identifier: UnsafeRawBufferPointer) -> ModelIdentifier {
        unsafe ModelIdentifier(String(decoding: identifier, as: UTF8.self))
    }
}
