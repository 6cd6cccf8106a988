#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is kept of one mutation.
struct OutboxRecord: Codable, Sendable {
    /// In which order it was submitted, among those of all processes; 0 before it is stored.
    var number: Int
    let key: String
    let type: String
    let lane: String
    var body: [UInt8]
    /// Why the server has refused it, if it has.
    var refusal: String?

    static let prefix = "outbox.m."
    static let counter = "outbox.n"
    static let lease = "outbox.lease"

    var name: String { OutboxRecord.prefix + key }

    func encoded() throws -> [UInt8] { try Array(JSONEncoder().encode(self)) }

    init(number: Int, key: String, type: String, lane: String, body: [UInt8]) {
        (self.number, self.key, self.type, self.lane, self.body) = (number, key, type, lane, body)
    }

    init(_ bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(OutboxRecord.self, from: Data(bytes))
    }

    // The body as text, which is JSON itself.
    private enum CodingKeys: String, CodingKey {
        case number, key, type, lane, body, refusal
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        number = try values.decode(Int.self, forKey: .number)
        key = try values.decode(String.self, forKey: .key)
        type = try values.decode(String.self, forKey: .type)
        lane = try values.decode(String.self, forKey: .lane)
        body = Array(try values.decode(String.self, forKey: .body).utf8)
        refusal = try values.decodeIfPresent(String.self, forKey: .refusal)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(number, forKey: .number)
        try values.encode(key, forKey: .key)
        try values.encode(type, forKey: .type)
        try values.encode(lane, forKey: .lane)
        try values.encode(String(decoding: body, as: UTF8.self), forKey: .body)
        try values.encodeIfPresent(refusal, forKey: .refusal)
    }
}

/// Which process sends: it has the lease until it expires.
struct OutboxLease: Codable, Sendable {
    let owner: String
    /// By a clock that all processes share and nobody sets.
    let expires: Double

    /// Whether it keeps `owner` from sending at `now`.
    ///
    /// One that lasts for longer than a lease does is from before the machine was started again.
    func excludes(_ other: String, at now: Double, length: Double) -> Bool {
        owner != other && now < expires && expires - now <= length
    }

    func encoded() throws -> [UInt8] { try Array(JSONEncoder().encode(self)) }

    init(owner: String, expires: Double) { (self.owner, self.expires) = (owner, expires) }

    init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(OutboxLease.self, from: Data(bytes)) }
}
