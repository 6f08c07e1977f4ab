import Backstitch

// An object goes since others have deleted something else: its parent, or the record that it had in another zone.

extension ApplySettings {
    /// The decision between its deletion and what is unsent of it here.
    func decide(
        deletionOf id: ObjectID, _ image: RecordImage, _ entity: ResolvedEntity, _ entry: OutboxEntry
    ) -> ConflictDecision {
        resolver.decide(of: entity) {
            let local = entity.ownColumns.map { ($0.name, image.values[$0.slot]) }
            return ConflictToResolve(
                objectID: id, kind: .editedHereDeletedThere, keys: entry.edits.map(\.name), base: [:],
                local: Dictionary(local, uniquingKeysWith: { first, _ in first }), server: [:])
        }
    }
}

extension JournalWriting {
    /// Deletes an object here, and has its record deleted where the server has it, or may have it.
    ///
    /// - Parameters:
    ///   - image: The object.
    ///   - entry: What is unsent of it.
    ///   - isKnown: Whether the server is known to have it.
    /// - Returns: Whether the deletion is to be sent.
    func delete(
        _ id: ObjectID, _ image: RecordImage, of entity: ResolvedEntity, _ entry: OutboxEntry?, isKnown: Bool,
        number: () throws -> Int64
    ) throws -> Bool {
        try delete([id.key], of: entity)
        let mayBeThere = try entry.map { $0.firstSequence <= (try value(of: .attempted) ?? 0) } ?? false
        guard isKnown || mayBeThere else {
            try removeOutbox([id.key])
            return false
        }
        try putOutbox([.deletion(of: id, image, entity, sequence: try number(), existing: entry)])
        return true
    }
}
