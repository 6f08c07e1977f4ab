import BackstitchSupport
import CloudWire

/// How much the changes of shares in one transaction write, whatever the number of shares.
final class ShareBudget {
    /// The entries and shares that are left.
    struct Rest: Sendable {
        /// Entries that are written for guests one by one; beyond that they read everything again.
        fileprivate var entries = 20_000
        /// Shares that a user leaves with zones, each of which is a commit.
        fileprivate var shares = 100
    }

    private(set) var rest: Rest

    init(_ rest: Rest = Rest()) { self.rest = rest }

    func take(entries count: Int) -> Bool {
        guard count <= rest.entries else { return false }
        rest.entries -= count
        return true
    }

    /// - Throws: BAD_REQUEST "limit exceeded" when the shares of other zones have used it up. A zone by itself may
    ///   always be left.
    func take(shares count: Int) throws(WireError) {
        guard rest.shares > 0 else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): a request leaves about 100 shares; leave fewer zones at a time")
        }
        rest.shares -= count
    }
}
