import GroveCache
import GroveCompare
import GroveInspect
import GroveModel

extension StoredRecord {
    /// The record, envelope and body.
    var json: JSON {
        var members = [
            JSONMember("identifier", .string(name)), JSONMember("kind", .string(kind.rawValue)),
            JSONMember("storedBytes", JSON(byteCount)),
        ]
        switch envelope {
        case .failure(let error): members.append(JSONMember("error", .string(error.description)))
        case .success(let envelope):
            let body = try? JSON(body: envelope.body)
            let names = StoredRecord.fieldNames(body)
            let projections = envelope.projections.map { projection -> JSON in
                let fields = zip(names, projection.fields).filter { $0.1 }.map { JSON.string($0.0) }
                return [
                    "name": .string(projection.name), "sequence": JSON(number: projection.sequence.rawValue),
                    "confirmedAt": projection.time == 0 ? .null : JSON(Int(projection.time)), "fields": .array(fields),
                ]
            }
            members += [
                JSONMember("recordName", .string(envelope.recordName)),
                JSONMember("sequence", JSON(number: envelope.sequence.rawValue)),
                JSONMember("deleted", .bool(envelope.isTombstone)),
                JSONMember(
                    "lastDeletion", envelope.deletion == .zero ? .null : JSON(number: envelope.deletion.rawValue)),
                JSONMember("flags", .array(envelope.flags.map { .string($0) })),
                JSONMember("projections", .array(projections)),
                JSONMember("bodyBytes", JSON(envelope.body.count)),
                JSONMember("body", body ?? .null),
            ]
        }
        return .object(members)
    }

    /// The record for people.
    var pretty: String {
        var lines = [Terminal.bold(name)]
        func line(_ label: String, _ value: String) {
            lines.append("  " + label + String(repeating: " ", count: 14 - label.count) + value)
        }
        switch envelope {
        case .failure(let error): line("error", error.description)
        case .success(let envelope):
            let body = try? JSON(body: envelope.body)
            let names = StoredRecord.fieldNames(body)
            line("record name", envelope.isTombstone ? "- (deleted)" : envelope.recordName)
            line("sequence", String(envelope.sequence.rawValue))
            if envelope.deletion > .zero { line("last deletion", String(envelope.deletion.rawValue)) }
            if !envelope.flags.isEmpty { line("flags", envelope.flags.joined(separator: ", ")) }
            for projection in envelope.isTombstone ? [] : envelope.projections {
                let fields = zip(names, projection.fields).filter { $0.1 }.map(\.0)
                let all = fields.count == names.count
                let number = envelope.projections.count > 1 ? ", written at \(projection.sequence.rawValue)" : ""
                let carried = all ? ", all fields" : ": " + fields.joined(separator: " ")
                line("projection", projection.name + number + carried)
            }
            line("bytes", "\(byteCount) stored, \(envelope.body.count) of them the body")
            if let body { lines.append(body.pretty) }
        }
        return lines.joined(separator: "\n")
    }

    /// One line of a list, as JSON.
    var summary: JSON {
        var members = [JSONMember("identifier", .string(name)), JSONMember("storedBytes", JSON(byteCount))]
        switch envelope {
        case .failure(let error): members.append(JSONMember("error", .string(error.description)))
        case .success(let envelope):
            members += [
                JSONMember("recordName", .string(envelope.recordName)),
                JSONMember("sequence", JSON(number: envelope.sequence.rawValue)),
                JSONMember("deleted", .bool(envelope.isTombstone)),
            ]
        }
        return .object(members)
    }

    /// One line of a list, as columns.
    var row: [String] {
        switch envelope {
        case .failure(let error): [String(byteCount), "-", "(\(error.code))", name]
        case .success(let envelope):
            [
                String(byteCount), String(envelope.sequence.rawValue),
                envelope.isTombstone ? "(deleted)" : envelope.recordName,
                name,
            ]
        }
    }

    private static func fieldNames(_ body: JSON?) -> [String] {
        guard case .object(let members)? = body else { return [] }
        return members.map(\.key)
    }
}
