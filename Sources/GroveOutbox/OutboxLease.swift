#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The right of one process to send: the owner has the lease until it expires.
///
/// Its times are those of a clock that all processes share. A machine that was started again has a clock that is behind
/// the time at which an older lease was taken; such a lease counts for nothing. If the clock has come to that time
/// again, the lease ends when it expires.
struct OutboxLease: Codable, Sendable {
    let owner: String
    let taken: Double
    let expires: Double

    static let name = "outbox.lease"

    init(owner: String, taken: Double, length: Double) {
        (self.owner, self.taken, expires) = (owner, taken, taken + length)
    }

    init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(OutboxLease.self, from: Data(bytes)) }

    func encoded() throws -> [UInt8] { try Array(JSONEncoder().encode(self)) }

    /// Whether it keeps `other` from sending at `now`.
    func excludes(_ other: String, at now: Double) -> Bool { owner != other && taken <= now && now < expires }
}
