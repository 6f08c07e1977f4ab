import Backstitch

/// The web tokens of the one user.
struct PlainWebTokens {
    private(set) var current: String?
    /// The one before, while it is good.
    private var previous: String?
    private var count = 0

    init(_ first: String?) { current = first }

    /// Takes a token, and gives the next one where there is one.
    ///
    /// - Returns: nil when it is not good; `.some(nil)` when it is, and stays.
    mutating func take(_ token: String?, _ behavior: PlainBehavior.WebTokens) -> String?? {
        guard let current else { return .some(nil) }
        guard let token, token == current || token == previous else { return nil }
        count += 1
        switch behavior {
        case .fixed: return .some(nil)
        case .rotating:
            // Good once more: when it comes again, the answer to it was lost.
            previous = token == previous ? nil : token
            self.current = "web+\(count)/="
        case .singleUse:
            previous = nil
            self.current = "web+\(count)/="
        }
        return .some(self.current)
    }
}
