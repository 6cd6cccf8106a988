import GroveCache
import GroveCoding
package import GroveModel

// Tests name calls, commits and places by literals; sources do not.
extension CallNumber: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt64) { self.init(rawValue: value) }
}

extension LocalNumber: ExpressibleByIntegerLiteral {
    init(integerLiteral value: UInt64) { self.init(rawValue: value) }
}
