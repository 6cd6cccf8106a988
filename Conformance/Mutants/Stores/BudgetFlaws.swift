/// Says that sixteen times the budget fits.
enum ForgetsBudget: StoreFlaw {
    static func payload(within bytes: Int) -> Int { bytes * 16 }
}
