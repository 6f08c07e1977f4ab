/// A store's report of a finished save.
public struct SaveResult: Sendable {
    /// The number of the save's history transaction; each save has a higher one.
    public let transactionNumber: Int64

    /// Makes the result of the save with this history transaction.
    public init(transactionNumber: Int64) { self.transactionNumber = transactionNumber }
}
