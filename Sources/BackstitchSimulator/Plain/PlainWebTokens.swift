import Backstitch

/// The web tokens of the one user.
struct PlainWebTokens {
    private(set) var current: String?
    /// The previous token, while it is still valid.
    private var previous: String?
    private var count = 0

    init(_ first: String?) { current = first }

    /// Takes the token of a request, and makes the next one.
    ///
    /// - Returns: nil for an invalid token; `.some(nil)` if the token is valid and stays.
    mutating func take(_ token: String?, _ behavior: PlainBehavior.WebTokens) -> String?? {
        guard let current else { return .some(nil) }
        guard let token, token == current || token == previous else { return nil }
        count += 1
        switch behavior {
        case .fixed: return .some(nil)
        case .rotating:
            // The previous token is valid once more: if it is used again, the last answer was lost.
            previous = token == previous ? nil : token
            self.current = "web+\(count)/="
        case .singleUse:
            previous = nil
            self.current = "web+\(count)/="
        }
        return .some(self.current)
    }
}
