import Foundation
import GroveCache
import GroveModel

@testable import GroveSQLite

/// A directory of its own for one test, removed when the test ends.
final class StoreFixture {
    let path: String

    init(_ name: String = "groves é 雪 with spaces") throws {
        path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString) \(name)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open(_ options: SQLiteOptions = SQLiteOptions(), hashMask: UInt64 = .max) throws(CacheError) -> SQLiteStore {
        try SQLiteStore(directory: path, options: options, hashMask: hashMask)
    }

    func file(_ name: String) -> URL { URL(filePath: path).appending(path: name) }

    /// Whether any file in the directory holds `marker`.
    func holds(_ marker: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: path).contains { name in
            try Data(contentsOf: file(name)).range(of: Data(marker.utf8)) != nil
        }
    }
}

extension NodeStore {
    func put(_ key: some Sequence<UInt8>, _ value: some Sequence<UInt8>) throws(CacheError) {
        try write { transaction throws(CacheError) in try transaction.put(Array(key), Array(value)) }
    }

    func remove(_ key: some Sequence<UInt8>) throws(CacheError) {
        try write { transaction throws(CacheError) in try transaction.remove(Array(key)) }
    }

    func get(_ key: some Sequence<UInt8>) throws(CacheError) -> [UInt8]? {
        let view = try view()
        defer { view.end() }
        return try view.get(Array(key))
    }

    func keys(_ prefix: some Sequence<UInt8> = []) throws(CacheError) -> [[UInt8]] {
        let view = try view()
        defer { view.end() }
        return try view.keys(Array(prefix))
    }
}

extension NodeView {
    func get(_ key: [UInt8]) throws(CacheError) -> [UInt8]? {
        try unsafe bytes(key) { bytes throws(CacheError) in
            guard let value = unsafe try get(bytes) else { return nil }
            return unsafe Array(value)
        }
    }

    func keys(_ prefix: [UInt8]) throws(CacheError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        try unsafe bytes(prefix) { bytes throws(CacheError) in
            try unsafe scan(prefix: bytes) { key, _ throws(CacheError) in
                unsafe found.append(Array(key))
                return true
            }
        }
        return found
    }
}

extension NodeTransaction {
    func put(_ key: [UInt8], _ value: [UInt8]) throws(CacheError) {
        try unsafe bytes(key) { key throws(CacheError) in
            try unsafe bytes(value) { value throws(CacheError) in unsafe try put(key, value) }
        }
    }

    func remove(_ key: [UInt8]) throws(CacheError) {
        try unsafe bytes(key) { key throws(CacheError) in unsafe try remove(key) }
    }
}

/// Calls `body` with the bytes of `array`, passing its typed error on.
func bytes<Result>(
    _ array: [UInt8], _ body: (UnsafeRawBufferPointer) throws(CacheError) -> Result
) throws(CacheError) -> Result {
    let outcome: Swift.Result<Result, CacheError> = unsafe array.withUnsafeBytes { bytes in
        do throws(CacheError) { return unsafe .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try outcome.get()
}

/// The code of the error that `body` throws, or `nil` where it throws none.
func code(_ body: () throws(CacheError) -> Void) -> CacheError.Code? {
    do throws(CacheError) {
        try body()
        return nil
    } catch { return error.code }
}
