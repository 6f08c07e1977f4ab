import Backstitch

extension JournalWriting {
    /// A number of its own for changes that sync itself makes: they are sent together, and no push that is under way
    /// already takes them for its own.
    func takeTransactionNumber() throws -> Int64 {
        let next = try lastTransactionNumber() + 1
        try raiseTransactionNumber(to: next)
        return next
    }
}
