import Backstitch

// An object is deleted because other devices have deleted something else: its parent, or its record in another zone.

extension ApplySettings {
    /// The decision between the deletion and the unsent changes here.
    func decide(
        deletionOf id: ObjectID, _ image: RecordImage, _ entity: ResolvedEntity, _ entry: OutboxEntry
    ) -> ConflictDecision {
        resolver.decide(of: entity) {
            let local = entity.ownColumns.map { ($0.name, image.values[$0.slot]) }
            return ConflictToResolve(
                objectID: id, kind: .editedHereDeletedThere, keys: entry.fields.map(\.name), base: [:],
                local: Dictionary(local, uniquingKeysWith: { first, _ in first }), server: [:])
        }
    }
}

extension JournalWriting {
    /// Deletes an object here. Queues the deletion of its record if the server has it, or may have it.
    ///
    /// - Parameters:
    ///   - image: The object with its values.
    ///   - entry: Its unsent changes.
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
