import GroveModel

extension EncodingSession {
    /// Writes the value that was collected.
    func write(to encoder: inout NodeEncoder) throws(CacheError) { try write(stored.boxes[0], to: &encoder) }

    /// Writes the content of `box` as one value.
    private func write(_ box: EncodingBox, to encoder: inout NodeEncoder) throws(CacheError) {
        switch unsafe box.state.pointee.shape {
        case .nothing:
            throw CacheError(.unencodable, "A container that was asked for was left without a value.")
        case .single: try write(unsafe box.state.pointee.items[0], to: &encoder)
        case .unkeyed:
            let count = unsafe box.state.pointee.items.count
            encoder.writeArrayHead(count: count)
            for index in 0..<count { try write(unsafe box.state.pointee.items[index], to: &encoder) }
        case .keyed:
            guard unsafe !box.state.pointee.fields.contradictsItself else { throw CollectedFields.contradiction }
            if unsafe !box.state.pointee.fields.extras.isEmpty { return try writeSorted(box, to: &encoder) }
            encoder.writeMapHead(count: unsafe box.state.pointee.fields.knownCount)
            let table = unsafe box.state.pointee.fields.table
            for position in 0..<table.count {
                let item = unsafe box.state.pointee.fields.field(position)
                guard item.kind != .none else { continue }
                unsafe encoder.out.append(padded: table.key(position))
                try write(item, of: { table.name(position) }, to: &encoder)
            }
        }
    }

    /// Writes fields some of whose names are not in the table.
    private func writeSorted(_ box: EncodingBox, to encoder: inout NodeEncoder) throws(CacheError) {
        let fields = unsafe box.state.pointee.fields.sorted()
        encoder.writeMapHead(count: fields.count)
        for field in fields {
            encoder.write(field.name)
            try write(field.item, of: { field.name }, to: &encoder)
        }
    }

    /// Writes the field with the name `name`; a failure names the field.
    private func write(
        _ item: EncodingItem, of name: () -> String, to encoder: inout NodeEncoder
    ) throws(CacheError) {
        do throws(CacheError) {
            try write(item, to: &encoder)
        } catch {
            guard error.identifier == nil else { throw error }
            throw error.concerning(field: "\(stored.ownerName).\(name())")
        }
    }

    private func write(_ item: EncodingItem, to encoder: inout NodeEncoder) throws(CacheError) {
        switch item.kind {
        case .none: break
        case .leaf: unsafe encoder.out.append(stored.leaves.bytes(in: item.first..<item.second))
        case .value: try CodableValue.encode(stored.values[item.first], to: &encoder)
        case .presentValue: try CodableValue.encodePresent(stored.values[item.first], to: &encoder)
        case .box:
            let inner = stored.boxes[item.first]
            try encoder.nested { (encoder) throws(CacheError) in try write(inner, to: &encoder) }
        }
    }
}
