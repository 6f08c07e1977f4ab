import BackstitchSupport
import CloudWire

/// The common limit for the writes of all share changes in one transaction.
final class ShareBudget {
    /// The entries and shares that are still allowed.
    struct Rest: Sendable {
        /// Entries written for single guests. Beyond that, the guests read everything again.
        fileprivate var entries = 20_000
        /// Shares that a user leaves together with zones. Each of them is a commit.
        fileprivate var shares = 100
    }

    private(set) var rest: Rest

    init(_ rest: Rest = Rest()) { self.rest = rest }

    /// Takes entries from the budget; false if too few are left.
    func take(entries count: Int) -> Bool {
        guard count <= rest.entries else { return false }
        rest.entries -= count
        return true
    }

    /// Takes shares from the budget. A single zone may always be left, even with more shares than the budget has.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if the shares of other zones have used up the budget.
    func take(shares count: Int) throws(WireError) {
        guard rest.shares > 0 else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): a request leaves about 100 shares; leave fewer zones at a time")
        }
        rest.shares -= count
    }
}
