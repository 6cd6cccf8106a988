import GroveModel

/// The codings of the types that were met, ``DecodeCoding`` and ``EncodeCoding``.
enum Codings {
    static let all = TypeMap()

    // What a type's coding is kept for.
    enum DecodingRole {}
    enum EncodingRole {}
    enum ModelDecodingRole {}
    enum ModelEncodingRole {}
}
