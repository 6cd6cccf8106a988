/// The requests of a trace in order, every key as a number of its own.
package struct AccessTrace {
    /// Keys numbered in the order of their first request.
    private(set) var requests: [UInt32] = []
    /// The weight of every request; empty if all are 1.
    private(set) var weights: [UInt32] = []
    /// How many different keys there are.
    private(set) var distinct = 0

    /// Reads one key per line, and with `isWeighted` a weight in bytes after the last blank of each.
    ///
    /// Lines end in LF or CRLF; what a key looks like is its own affair.
    ///
    /// - Throws: ``ToolError`` that names the line.
    package init(_ bytes: [UInt8], file: String, isWeighted: Bool) throws(ToolError) {
        var numbers: [ArraySlice<UInt8>: UInt32] = [:]
        var start = 0
        var line = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            var text = bytes[start..<end]
            start = end + 1
            line += 1
            if text.last == UInt8(ascii: "\r") { text.removeLast() }
            if isWeighted { weights.append(try Self.takeWeight(from: &text, at: "\(file):\(line)")) }
            guard !text.isEmpty else { throw .input("\(file):\(line): there is no key; a trace has one on every line") }
            let number = numbers[text, default: UInt32(truncatingIfNeeded: numbers.count)]
            if number == numbers.count { numbers[text] = number }
            requests.append(number)
        }
        distinct = numbers.count
        guard line > 0 else { throw .input("\(file) is empty; a trace has one key on every line") }
    }

    /// The requests of `keys`, any numbers, of which each weighs what `weight` says; 1 where that is `nil`.
    init(keys: [UInt64], weight: ((UInt64) -> UInt32)?) {
        var numbers: [UInt64: UInt32] = [:]
        for key in keys {
            let number = numbers[key, default: UInt32(truncatingIfNeeded: numbers.count)]
            if number == numbers.count { numbers[key] = number }
            requests.append(number)
            if let weight { weights.append(weight(key)) }
        }
        distinct = numbers.count
    }

    /// The bytes, or records, that all of its keys take.
    var footprint: Int {
        guard !weights.isEmpty else { return distinct }
        var seen = [Bool](repeating: false, count: distinct)
        var sum = 0
        for (place, number) in requests.enumerated() where !seen[Int(number)] {
            seen[Int(number)] = true
            sum += Int(weights[place])
        }
        return sum
    }

    /// The first `prefix` requests of another trace.
    init(_ other: AccessTrace, prefix: Int) {
        requests = Array(other.requests.prefix(prefix))
        weights = Array(other.weights.prefix(prefix))
        distinct = Set(requests).count
    }

    private static func takeWeight(from text: inout ArraySlice<UInt8>, at place: String) throws(ToolError) -> UInt32 {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let blank = text.lastIndex(where: isBlank),
            let weight = UInt32(String(decoding: text[(blank + 1)...], as: UTF8.self)), weight > 0
        else {
            throw .input(
                "\(place): no weight; with --weights every line is a key, a blank and a number of bytes above 0")
        }
        text = text[..<blank]
        while let last = text.last, isBlank(last) { text.removeLast() }
        return weight
    }
}
