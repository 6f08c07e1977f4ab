import Backstitch

extension ResolvedEntity {
    /// The reason why two objects of the entity cannot have the same values; nil if they can.
    var reasonAgainstCopies: String? {
        if !uniquenessConstraints.isEmpty { return "has unique values" }
        return isIdentifiedByValues ? "is identified by values" : nil
    }
}

extension RemoteChangeApplier {
    /// Plans a copy of an object, with a new key.
    ///
    /// - Returns: The copy's identity.
    mutating func noteCopy(_ image: RecordImage, of id: ObjectID) -> ObjectID {
        let copy = ObjectID(entityName: id.entityName, key: settings.generator.next())
        copies.append(ConflictCopy(objectID: copy, image: image))
        return copy
    }

    /// Writes the planned copies, and adds them to the outbox.
    mutating func writeCopies(of entity: SyncedEntity) throws {
        guard !copies.isEmpty else { return }
        defer { copies = [] }
        var builder = RowBatchBuilder(entity: entity.entity, capacity: copies.count)
        var links = entity.ownedLinks.map { LinkChange(entity: entity.entity, property: $0) }
        let sequence = try journal.takeTransactionNumber()
        for copy in copies {
            builder.beginRow(key: copy.objectID.key, version: 1)
            for (column, value) in zip(entity.entity.columns, copy.image.values) {
                builder.append(mayHave(value, column) ? value : .null)
            }
            for index in links.indices {
                let targets = copy.image.links[links[index].property.slot] ?? []
                links[index].replace([], by: targets, of: copy.objectID.key)
            }
            notes.entries.append(
                OutboxEntry(objectID: copy.objectID, kind: .insert, sequence: sequence, firstSequence: sequence))
            result.changes.inserted.append(copy.objectID)
        }
        let rows = builder.finish()
        try journal.upsert(rows)
        noteParents(in: rows)
        for change in links where !change.isEmpty { try journal.change(change) }
        result.hasUnsent = true
    }

    /// Returns whether a copy may have the object's value. It may not if the other end of the relationship has one
    /// object only, or if the asset's bytes are not here.
    private func mayHave(_ value: Value, _ column: ResolvedProperty) -> Bool {
        if case .asset(let reference) = value { return settings.assets.contains(reference) }
        guard let relationship = column.relationship else { return true }
        return settings.model.model.inverse(of: relationship).relationship?.isToMany == true
    }
}
