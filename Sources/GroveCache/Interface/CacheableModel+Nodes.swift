package import GroveCoding
package import GroveModel

extension CacheableModel {
    /// The identifiers of all nodes of the model's tree, its own included.
    ///
    /// It encodes the tree. O(*n*) for *n* references in the tree.
    ///
    /// - Throws: ``CacheError`` with code `unidentified`, `emptyIdentifier`, `tooDeep`, `tooManyPaths` or
    ///   `unencodable`.
    package func nodeIdentifiers() throws(CacheError) -> [ModelIdentifier] {
        let tree = try EncodedRoots.tree(of: self)
        return (0..<tree.count).map { index in
            ModelIdentifier(unsafe String(decoding: tree.key(index).dropFirst(), as: UTF8.self))
        }
    }
}
