/// An encoded root, taken apart: a reference to a node, with or without a case, or a model in place.
package struct RootReference {
    package let isReference: Bool
    package let hasCase: Bool
    package let identifier: [UInt8]

    /// Whether an encoded root is a reference: it begins with the tag of one.
    package static func isReference(_ encoded: UnsafeRawBufferPointer) -> Bool {
        guard encoded.count > 3, unsafe encoded[0] == CBORMajor.tag | 25 else { return false }
        let tag = unsafe encoded.loadUnaligned(fromByteOffset: 1, as: UInt16.self)
        return UInt64(UInt16(bigEndian: tag)) == CBORTag.reference
    }

    package init(_ encoded: UnsafeRawBufferPointer) {
        var decoder = unsafe NodeDecoder(encoded, source: NoSource.shared, isStable: true)
        let reference = (try? decoder.readReference()) ?? nil
        isReference = reference != nil
        hasCase = reference?.caseName != nil
        identifier = reference.map { unsafe Array($0.identifierBytes) } ?? []
    }
}
