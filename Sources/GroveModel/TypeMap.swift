package import Synchronization

/// A map of objects that are remembered of Swift types for as long as the process lives: one for each pair of types.
///
/// Finding one takes no lock. A map holds a thousand pairs at most; further ones are not remembered.
@safe
// SAFETY: a place is filled before its key is published, under a lock, and never changed afterwards.
package final class TypeMap: @unchecked Sendable {
    @safe
    @usableFromInline
    struct Place: ~Copyable {
        @usableFromInline let first = Atomic<UInt>(0)
        @usableFromInline var second: UInt = 0
        @usableFromInline var object: Unmanaged<AnyObject>?
    }

    @inlinable static var capacity: Int { 2_048 }
    private static let most = 1_024

    @usableFromInline let places: UnsafeMutablePointer<Place>
    private let count = Lock(0)

    /// Makes an empty map, which lives as long as the process.
    package init() {
        unsafe places = .allocate(capacity: TypeMap.capacity)
        for index in 0..<TypeMap.capacity { unsafe (places + index).initialize(to: Place()) }
    }

    deinit { preconditionFailure("a map of types lives as long as the process") }

    /// The object that is remembered of `first` and `second`; `nil` if there is none.
    ///
    /// The object is the one that was kept under the very pair, so that its type follows from the pair.
    @inlinable
    @inline(__always)
    package func find(_ first: ObjectIdentifier, _ second: ObjectIdentifier) -> Unmanaged<AnyObject>? {
        let (first, second) = (UInt(bitPattern: first), UInt(bitPattern: second))
        var index = TypeMap.start(first, second)
        while true {
            let place = unsafe places + index
            let key = unsafe place.pointee.first.load(ordering: .acquiring)
            if key == 0 { return nil }
            if key == first, unsafe place.pointee.second == second { return unsafe place.pointee.object }
            index = (index + 1) & (TypeMap.capacity - 1)
        }
    }

    /// The object that is remembered of `first` and `second`, or else the one that `make` makes.
    ///
    /// - Parameter make: makes an object of the class that follows from the pair.
    @inlinable
    @inline(__always)
    package func find<Object: AnyObject>(
        _ first: ObjectIdentifier, _ second: ObjectIdentifier, _ make: () -> AnyObject
    ) -> Object {
        // SAFETY: what is kept under a pair was made for it.
        if let found = unsafe find(first, second) {
            return unsafe Unmanaged<Object>.fromOpaque(found.toOpaque()).takeUnretainedValue()
        }
        return unsafe unsafeDowncast(keep(make(), first, second), to: Object.self)
    }

    /// Keeps `object` for ever, unless the map is full or has an object of the pair; returns the one that counts.
    package func keep(_ object: AnyObject, _ first: ObjectIdentifier, _ second: ObjectIdentifier) -> AnyObject {
        count.withLock { count in
            guard count < TypeMap.most, unsafe find(first, second) == nil else { return }
            count += 1
            var index = TypeMap.start(UInt(bitPattern: first), UInt(bitPattern: second))
            while unsafe (places + index).pointee.first.load(ordering: .relaxed) != 0 {
                index = (index + 1) & (TypeMap.capacity - 1)
            }
            let place = unsafe places + index
            unsafe place.pointee.second = UInt(bitPattern: second)
            unsafe place.pointee.object = Unmanaged.passRetained(object)
            unsafe place.pointee.first.store(UInt(bitPattern: first), ordering: .releasing)
        }
        return unsafe find(first, second)?.takeUnretainedValue() ?? object
    }

    @inlinable
    @inline(__always)
    static func start(_ first: UInt, _ second: UInt) -> Int {
        let mixed = (UInt64(first) ^ (UInt64(second) << 1)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 40) & (capacity - 1)
    }
}
