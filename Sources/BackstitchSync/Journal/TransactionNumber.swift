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

extension OutboxEntry {
    /// Notes that sync itself has changed properties, which had these values before, under a number of its own. An
    /// entry that was blocked is to be sent again, as after any edit.
    mutating func note(_ changes: [(property: ResolvedProperty, base: Base)], number: Int64) {
        for (property, base) in changes {
            if let index = fields.firstIndex(where: { $0.name == property.name }) {
                fields[index].sequence = number
            } else {
                fields.append(Field(name: property.name, sequence: number, base: base))
            }
        }
        fields.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        sequence = number
        unblock()
    }
}
