package import Backstitch

/// The effect of a save on the outbox entry of a changed object. Pure; the rules are those of ``OutboxEntry``.
package struct OutboxCoalescing: Sendable {
    /// The change of the object in the save.
    package enum Change: Sendable {
        /// The object is new. The names are those of its entity's columns.
        case inserted(columns: [String])
        /// These properties changed. The bases are their values before the save.
        case updated([(name: String, base: OutboxEntry.Base)])
        /// The object was deleted. These were its properties before the save.
        case deleted([(name: String, base: OutboxEntry.Base)])
    }

    /// The transaction number of the save.
    package let transaction: Int64
    /// The highest transaction number whose inserts may have reached the server (``OutboxEntry/attemptedKey``).
    package let attempted: Int64
    /// Whether the save stays on this device (``SaveChangesRequest/isHeld``).
    package let isHeld: Bool

    /// Creates the rules for the save with that transaction number.
    package init(transaction: Int64, attempted: Int64, isHeld: Bool = false) {
        self.transaction = transaction
        self.attempted = attempted
        self.isHeld = isHeld
    }

    /// The object's entry after the save; nil if it needs none.
    ///
    /// Complexity: O(*f* log *f*) in the number of the entry's fields.
    package func entry(
        of objectID: ObjectID, after change: Change, existing: OutboxEntry?
    ) -> OutboxEntry? {
        var entry: OutboxEntry? =
            switch change {
            case .inserted(let columns): inserted(objectID, columns, existing)
            case .updated(let properties): updated(objectID, properties, existing)
            case .deleted(let content): deleted(objectID, content, existing)
            }
        // Other unsent changes of the object could not be sent without this one.
        entry?.blockedReason = isHeld && existing.map(\.isHeld) ?? true ? OutboxEntry.heldReason : nil
        return entry
    }

    private func inserted(_ objectID: ObjectID, _ columns: [String], _ existing: OutboxEntry?) -> OutboxEntry {
        switch existing?.kind {
        case nil, .insert:
            return OutboxEntry(
                objectID: objectID, kind: .insert, sequence: transaction,
                firstSequence: existing?.firstSequence ?? transaction)
        case .delete, .update:
            // The server has the record. Its former values are no longer here, so every column is sent.
            let bases = Dictionary(
                existing?.kind == .delete ? existing?.fields.map { ($0.name, $0.base) } ?? [] : [],
                uniquingKeysWith: { $1 })
            let fields = columns.sorted(by: Self.isBefore)
                .map { OutboxEntry.Field(name: $0, sequence: transaction, base: bases[$0] ?? .value(.null)) }
            return OutboxEntry(
                objectID: objectID, kind: .update, sequence: transaction, firstSequence: transaction, fields: fields)
        }
    }

    private func updated(
        _ objectID: ObjectID, _ properties: [(name: String, base: OutboxEntry.Base)], _ existing: OutboxEntry?
    ) -> OutboxEntry {
        guard var entry = existing, entry.kind != .delete else {
            let fields = properties.sorted { Self.isBefore($0.name, $1.name) }
                .map { OutboxEntry.Field(name: $0.name, sequence: transaction, base: $0.base) }
            return OutboxEntry(
                objectID: objectID, kind: .update, sequence: transaction, firstSequence: transaction, fields: fields)
        }
        // Links by the inserting save itself are part of the insert, not a later change.
        if entry.kind == .insert, entry.firstSequence == transaction { return entry }
        entry.sequence = transaction
        for (name, base) in properties {
            if let index = entry.fields.firstIndex(where: { $0.name == name }) {
                entry.fields[index].sequence = transaction
            } else {
                entry.fields.append(OutboxEntry.Field(name: name, sequence: transaction, base: base))
            }
        }
        entry.fields.sort { Self.isBefore($0.name, $1.name) }
        return entry
    }

    private func deleted(
        _ objectID: ObjectID, _ content: [(name: String, base: OutboxEntry.Base)], _ existing: OutboxEntry?
    ) -> OutboxEntry? {
        if let existing, existing.kind == .insert {
            // Held inserts were not sent, even if later changes were.
            let sent = existing.isHeld ? 0 : attempted
            if existing.firstSequence > sent { return nil }
        }
        return .deletion(of: objectID, sequence: transaction, content: content, existing: existing)
    }

    private static func isBefore(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
