import Backstitch

extension ResolvedEntity {
    /// Why there cannot be two objects of the entity with the same values; nil where there can.
    var reasonAgainstCopies: String? {
        if !uniquenessConstraints.isEmpty { return "has unique values" }
        return isIdentifiedByValues ? "is identified by values" : nil
    }
}

extension RemoteChangeApplier {
    /// Notes a copy of an object, with a key of its own.
    ///
    /// - Returns: Its identity.
    mutating func noteCopy(_ image: RecordImage, of id: ObjectID) -> ObjectID {
        let copy = ObjectID(entityName: id.entityName, key: settings.generator.next())
        copies.append(ConflictCopy(objectID: copy, image: image))
        return copy
    }

    /// Makes the objects that were noted, and notes them as unsent.
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

    /// Whether a copy may have what the object has: not the only end of a relationship, nor bytes that are not here.
    private func mayHave(_ value: Value, _ column: ResolvedProperty) -> Bool {
        if case .asset(let reference) = value { return settings.assets.contains(reference) }
        guard let relationship = column.relationship else { return true }
        return settings.model.model.inverse(of: relationship).relationship?.isToMany == true
    }
}
