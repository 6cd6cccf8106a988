/// The codings of the types that were met, ``DecodeCoding`` and ``EncodeCoding``, and their names, ``TypeName``.
enum Codings {
    static let all = TypeMap()

    /// The coding of `type` that was kept for `role`, or the one that `make` makes, for ever.
    ///
    /// - Parameter make: makes an object of the class that follows from the type and the role.
    @inline(__always)
    static func find<Coding: AnyObject>(
        _ type: ObjectIdentifier, _ role: ObjectIdentifier, _ make: () -> AnyObject
    ) -> Coding {
        // SAFETY: what is kept under a type and a role was made for them.
        if let found = unsafe all.find(type, role) {
            return unsafe Unmanaged<Coding>.fromOpaque(found.toOpaque()).takeUnretainedValue()
        }
        return unsafe unsafeDowncast(all.keep(make(), type, role), to: Coding.self)
    }

    // What a type's coding is kept for.
    enum DecodingRole {}
    enum EncodingRole {}
    enum ModelDecodingRole {}
    enum ModelEncodingRole {}
}
