import GroveModel
import Testing

@testable import GroveTool

/// A document in both codings, and as dynamic values; and what holds of every one.
protocol TypedLoading {
    associatedtype Specialised: CompareData
    associatedtype Codable: CompareData
    var dynamic: DocumentData { get }
    var specialised: Specialised { get }
    var codable: Codable { get }
}

extension TypedLoading {
    func checkBytes(_ backend: BackendName, nodes: Int) throws {
        let left = try Filled(backend, specialised).values()
        let right = try Filled(backend, codable).values()
        #expect(left.count == nodes + 1 && left.map(\.name) == right.map(\.name))
        let different = zip(left, right).filter { $0.bytes != $1.bytes }.map(\.0.name)
        #expect(different.isEmpty, "\(different.count) are stored otherwise, \(different.first ?? "") first")
    }

    func checkFields() throws {
        let typed = try Filled(.memory, specialised).bodies()
        let dynamic = try Filled(.memory, dynamic).bodies()
        #expect(Set(typed.keys) == Set(dynamic.keys))
        for (name, body) in dynamic {
            let missing = body.namesOfValues.subtracting(["grove.version"]).subtracting(typed[name]?.names ?? [])
            #expect(missing.isEmpty, "\(name) lacks \(missing)")
        }
        // The types have no field that no record has.
        let all = dynamic.values.reduce(into: Set<String>()) { $0.formUnion($1.names) }
        let unknown = typed.values.reduce(into: Set<String>()) { $0.formUnion($1.names) }.subtracting(all)
        #expect(unknown.isEmpty)
    }

    func checkVersions() throws {
        for (tree, again) in zip(specialised.trees(version: 7), specialised.trees(version: 7)) {
            #expect(tree.isEqual(to: again))
        }
        for (tree, again) in zip(codable.trees(version: 7), codable.trees(version: 7)) {
            #expect(tree.isEqual(to: again))
        }
        let one = try Filled(.memory, specialised, version: 1).bodies()
        let two = try Filled(.memory, specialised, version: 2).bodies()
        #expect(one.keys == two.keys)
        for (name, body) in one {
            #expect(body.firstDifference(from: two[name] ?? .null) != nil, "\(name) is the same in both versions")
        }
        let codable = try Filled(.memory, codable, version: 2).bodies()
        for (name, body) in two { #expect(body.firstDifference(from: codable[name] ?? .null) == nil) }
    }
}
