import GroveCoding
import GroveModel
import GrovePlatform

/// In one word, how `body` failed to read; `none` if it did not.
func failure(_ body: () throws -> some Any) -> String {
    do {
        _ = try body()
        return "none"
    } catch let failure as NodeReadFailure {
        switch failure {
        case .deleted: return "deleted"
        case .otherShape: return "otherShape"
        case .incomplete: return "incomplete"
        case .corrupted: return "corrupted"
        case .miss(let miss): return miss.description
        case .failed(let error): return error.code.description
        }
    } catch {
        return "\(error)"
    }
}

/// The code with which `body` refused, or `nil` if it did not.
func refusal(_ body: () throws -> some Any) -> CacheError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? CacheError)?.code ?? .other
    }
}

/// Runs `body` on a thread whose stack has 512 KB, as threads other than the first have on Apple's systems.
func onSmallStack(_ body: @escaping () -> String) -> String {
    final class Box {
        let body: () -> String
        var outcome = "no thread"
        init(_ body: @escaping () -> String) { self.body = body }
    }
    let box = Box(body)
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, 512 << 10)
    let context = unsafe Unmanaged.passRetained(box).toOpaque()
    #if canImport(Darwin)
        var thread: pthread_t?
    #else
        var thread = pthread_t()
    #endif
    let status = unsafe pthread_create(
        &thread, &attributes,
        { context in
            #if canImport(Darwin)
                let box = unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue()
            #else
                guard let context = unsafe context else { return nil }
                let box = unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue()
            #endif
            box.outcome = box.body()
            return nil
        }, context)
    guard status == 0 else {
        unsafe Unmanaged<Box>.fromOpaque(context).release()
        return box.outcome
    }
    #if canImport(Darwin)
        if let thread = unsafe thread { unsafe pthread_join(thread, nil) }
    #else
        pthread_join(thread, nil)
    #endif
    return box.outcome
}
