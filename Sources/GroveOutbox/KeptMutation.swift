import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A mutation as it was kept: its record, and the mutation in it or the error with which it cannot be read.
struct KeptMutation {
    let record: OutboxRecord
    var mutation: Result<any Mutation, any Error>

    /// Reads the mutations that are kept, in order of submission.
    ///
    /// No type here depends on that of the outbox's API: with many pending, generic code took half of the time.
    static func all(
        _ kept: [(key: String, bytes: [UInt8]?)], _ types: [String: any Mutation.Type]
    ) -> [KeptMutation] {
        var found: [KeptMutation] = []
        found.reserveCapacity(kept.count)
        var places: [String: [Int]] = [:]
        for (key, bytes) in kept {
            do throws(CacheError) {
                guard let bytes else { throw OutboxRecord.damage }
                let record = try OutboxRecord(bytes)
                places[record.type, default: []].append(found.count)
                found.append(KeptMutation(record: record, mutation: .failure(OutboxRecord.damage)))
            } catch {
                let record = OutboxRecord(number: 0, key: key, type: "", lane: "", body: [])
                found.append(KeptMutation(record: record, mutation: .failure(error)))
            }
        }
        for (name, places) in places {
            guard let type = types[name] else {
                let error = CacheError(.unsupported, "No type of the outbox is called '\(name)'.")
                for place in places { found[place].mutation = .failure(error) }
                continue
            }
            let decoded = decode(type, places.map { found[$0].record.body })
            for index in places.indices { found[places[index]].mutation = decoded[index] }
        }
        let order = found.indices.map { (number: found[$0].record.number, place: $0) }.sorted { $0 < $1 }
        return order.map { found[$0.place] }
    }

    /// The mutations of one type whose bytes are `bodies`.
    static func decode<M: Mutation>(_ type: M.Type, _ bodies: [[UInt8]]) -> [Result<any Mutation, any Error>] {
        let decoder = JSONDecoder()
        if bodies.count > 1 {
            // All at once takes half the time of one at a time, unless one of them cannot be decoded.
            var list: [UInt8] = []
            for body in bodies {
                list.append(UInt8(ascii: list.isEmpty ? "[" : ","))
                list += body
            }
            list.append(UInt8(ascii: "]"))
            if let all = try? decoder.decode([M].self, from: Data(list)), all.count == bodies.count {
                return all.map { .success($0) }
            }
        }
        return bodies.map { body in Result { try decoder.decode(type, from: Data(body)) } }
    }
}
