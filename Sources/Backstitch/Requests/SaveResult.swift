/// A store's account of a save that it made.
public struct SaveResult: Sendable {
    /// The number of the save's history transaction: rises with each.
    public let transactionNumber: Int64

    /// The result of the save that made history transaction `transactionNumber`.
    public init(transactionNumber: Int64) { self.transactionNumber = transactionNumber }
}
