/// Checks double entry. Each transfer is two postings: a reader must see both, and their amounts must sum to zero.
package enum BankChecker {
    /// Returns the faults of a state as one device has read it.
    package static func faults(in postings: [(transfer: String, amount: Int64)], seenBy device: String) -> [String] {
        var sums: [String: (count: Int, sum: Int64)] = [:]
        for posting in postings {
            let old = sums[posting.transfer] ?? (0, 0)
            sums[posting.transfer] = (old.count + 1, old.sum + posting.amount)
        }
        return sums.sorted { $0.key < $1.key }.filter { $0.value.count != 2 || $0.value.sum != 0 }.map {
            "\(device) sees \($0.value.count) postings of transfer \($0.key), which sum to \($0.value.sum)"
        }
    }
}
