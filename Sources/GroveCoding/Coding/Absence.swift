/// Whether a field that is missing from the value at a decoder's cursor is known to have never been there.
///
/// A model's own projection stores a `nil` as null, so a field that it left out was never there. Another projection may
/// have left a field out because it does not know the field. In a record that several projections wrote, the table in
/// the envelope says which of them wrote each field. A value inside a field belongs to the projection that wrote it
/// last.
@usableFromInline
package enum Absence: UInt8 {
    /// The state in a record of another projection: nothing is known.
    case unknown
    /// The state in a record that the reading projection wrote alone: there never was such a field.
    case known
    /// The state at a record that several projections wrote, the reading one among them: its own fields are known to be
    /// absent.
    case ofRecord
    /// The state among the fields of such a record.
    case ofFields
    /// The state inside one of its fields: the source knows which projection wrote the value.
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
    /// Whether a field that is missing in the map at the cursor, or around it, is known to have never been there.
    package var knowsAbsence: Bool {
        switch absence {
        case .unknown: false
        case .known, .ofRecord, .ofFields: true
        case .ofValue: unsafe source.readerWrote(valueAt: cursor)
        }
    }
}
