import GroveCache

extension BackendProfile {
    /// What the profile declares, in a line.
    var claims: String {
        let claims = [
            isPersistent ? "on disk" : "in memory", survivesCrash ? "survives kills" : nil,
            isMultiProcess ? "several processes" : "one process", isEvicting ? "keeps a budget" : nil,
            readersNeverStall ? "readers never wait" : nil,
        ]
        return claims.compactMap(\.self).joined(separator: ", ")
    }
}
