extension [Double] {
    /// The value below which the share `quantile` of all values lies; 0 if there are none.
    func quantile(_ quantile: Double) -> Double {
        isEmpty ? 0 : sorted()[Swift.min(count - 1, Int(Double(count) * quantile))]
    }

    var median: Double { quantile(0.5) }
}
