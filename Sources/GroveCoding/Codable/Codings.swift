import GroveModel

/// The codings of the types that were met, ``DecodeCoding`` and ``EncodeCoding``.
enum Codings {
    static let all = TypeMap()

    // The roles for which a type's coding is kept.
    enum DecodingRole {}
    enum EncodingRole {}
    enum ModelDecodingRole {}
    enum ModelEncodingRole {}
}
