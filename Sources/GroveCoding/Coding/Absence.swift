/// Whether a field that is missing from the value at a decoder's cursor is known to have never been there.
///
/// A model's own projection stores a `nil` as null, so a field that it left out was never there. Another projection may
/// have left a field out because it does not know the field. In a record that several projections wrote, the table in
/// the envelope says which of them wrote each field. A value inside a field belongs to the projection that wrote it
/// last.
@usableFromInline
package enum Absence: UInt8 {
    /// Another projection wrote the record: nothing is known.
    case unknown
    /// The reading projection wrote everything: there never was such a field.
    case known
    /// At a record that several projections wrote, the reading one among them: its own fields are known to be absent.
    case ofRecord
    /// Among the fields of such a record.
    case ofFields
    /// Inside one of its fields: the source knows whose value that is.
    case ofValue

    /// The same for the fields of a map at the value.
    @usableFromInline
    var insideMap: Absence {
        switch self {
        case .unknown, .known, .ofValue: self
        case .ofRecord: .ofFields
        case .ofFields: .ofValue
        }
    }

    /// The same for a field's value, from the record or from among its fields.
    var insideField: Absence {
        switch self {
        case .unknown, .known, .ofValue: self
        case .ofRecord, .ofFields: .ofValue
        }
    }
}

extension NodeDecoder {
    /// Whether a field that the map at the cursor has not, or the one around it, was never there.
    package var knowsAbsence: Bool {
        switch absence {
        case .unknown: false
        case .known, .ofRecord, .ofFields: true
        case .ofValue: unsafe source.readerWrote(valueAt: cursor)
        }
    }
}
