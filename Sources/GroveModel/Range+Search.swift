extension Range<Int> {
    /// The first index for which `isBefore` is false, or the upper bound.
    ///
    /// - Parameter isBefore: true for every index before that one, and false for every other.
    /// - Complexity: O(log *n*) calls.
    @inlinable
    package func firstIndex(behind isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
