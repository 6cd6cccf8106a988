/// What is known of a field that is not there, at the value that a decoder stands at.
///
/// A model's own writer stores a `nil` as null, so what it left out was never there; what another one left out it may not
/// have known. In a record that several projections wrote, the fields of the record are told apart by the table in its
/// envelope, and the values inside them by whoever wrote each last.
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
