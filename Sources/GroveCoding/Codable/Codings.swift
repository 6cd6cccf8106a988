import GroveModel

/// The codings of types, ``DecodeCoding`` and ``EncodeCoding``, once they were used.
enum Codings {
    static let all = TypeMap()

    // The purposes for which a type has a coding.
    enum DecodingRole {}
    enum EncodingRole {}
    enum ModelDecodingRole {}
    enum ModelEncodingRole {}
}
