import Backstitch

extension JournalWriting {
    /// A separate number for changes made by sync itself. They are sent together, and no running push counts them as
    /// its own.
    func takeTransactionNumber() throws -> Int64 {
        let next = try lastTransactionNumber() + 1
        try raiseTransactionNumber(to: next)
        return next
    }
}

extension OutboxEntry {
    /// Notes changes of properties made by sync itself, with their former values, under a separate number. A blocked
    /// entry is sent again, as after any edit.
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
