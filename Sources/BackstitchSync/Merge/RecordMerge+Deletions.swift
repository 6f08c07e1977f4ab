import Backstitch

// Sync writes records too: it encrypts them anew, takes marks away that others have set, sends again what a server has
// lost. So another change tag, or another ciphertext, is no edit. Somebody has edited a record where a value is not the
// one on which both sides last agreed, and of that the deletion's entry has the digests.

extension RecordMerge {
    /// Merges a deletion here with a record that has changed since.
    func deletedHere(_ local: Local, editedThere server: RecordImage) -> Outcome {
        var entry = local.entry
        entry.unblock()
        entry.rebase(on: server, entity)
        // A record that was never seen here before is this device's own insert, whose answer was lost before the
        // deletion.
        if !local.wasOnServer { return Outcome(row: .keep, entry: entry) }
        guard isEdited(server, since: local) else { return Outcome(row: .keep, entry: entry) }
        let decision = resolver.decide(of: entity) {
            ConflictToResolve(
                objectID: objectID, kind: .deletedHereEditedThere, keys: [], base: [:], local: [:],
                server: values(of: server), localDate: localDate(of: [], entry), serverDate: serverDate)
        }
        guard case .winner(let winner, _) = decision else { return undecided(decision, local.entry) }
        let conflict = SyncConflict(objectID: objectID, kind: .deletedHereEditedThere, keys: [], winner: winner)
        return winner == .server
            ? Outcome(row: .write(server), entry: nil, conflicts: [conflict])
            : Outcome(row: .keep, entry: entry, conflicts: [conflict])
    }

    /// Whether a user has changed the record since this device, which has deleted the object, last agreed with the
    /// server.
    private func isEdited(_ server: RecordImage, since local: Local) -> Bool {
        if local.rest.isMoved { return true }
        let isOwnPush = local.traces.contains { self.isOwnPush($0, server) }
        if local.entry.fields.isEmpty { return !isOwnPush }
        if local.rest.hasOtherChanges { return true }
        // With these values somebody may have made the object anew, or another one that has become this one.
        if mayBeMadeAgain, !local.rest.isUnderOtherKeys, !isOwnPush { return true }
        let known = Dictionary(local.entry.fields.map { ($0.name, FieldDigest($0.base)) }, uniquingKeysWith: { $1 })
        return entity.syncedProperties.contains { property in
            // One whose values do not come here tells nothing.
            if property.attribute?.syncDirection.downloads == false { return false }
            let content = server.content(of: property), digest = FieldDigest(content)
            guard let base = known[property.name] else { return !content.isEmpty }
            return digest != base && !local.traces.contains { $0[property.name] == digest }
        }
    }

    /// Whether a record with the same values may be another object's.
    private var mayBeMadeAgain: Bool { entity.isIdentifiedByValues || !entity.uniquenessConstraints.isEmpty }

    /// Whether the server's record is what an earlier push made it, whose answer was lost.
    private func isOwnPush(_ trace: PushTrace, _ server: RecordImage) -> Bool {
        trace.allSatisfy { name, digest in
            entity.property(named: name).map { FieldDigest(server.content(of: $0)) == digest } ?? false
        }
    }
}

extension OutboxEntry {
    /// Has a deletion be one of the record as it is now.
    fileprivate mutating func rebase(on server: RecordImage, _ entity: ResolvedEntity) {
        for index in fields.indices {
            if let property = entity.property(named: fields[index].name), property.isSynced {
                fields[index].base = server.content(of: property).digested
            }
        }
    }

    /// The deletion of an object that is like this, or was.
    static func deletion(
        of id: ObjectID, _ image: RecordImage?, _ entity: ResolvedEntity, sequence: Int64, existing: OutboxEntry?
    ) -> OutboxEntry {
        let content = image.map { image in entity.syncedProperties.map { ($0.name, image.content(of: $0)) } }
        return deletion(of: id, sequence: sequence, content: content ?? [], existing: existing)
    }
}

extension OutboxEntry.Base {
    /// Whether the property has nothing.
    fileprivate var isEmpty: Bool {
        switch self {
        case .value(let value): value.isNull
        case .links(let keys): keys.isEmpty
        case .digest: false
        }
    }

    /// The content that it names, where that is one of two; nothing else is known of a content that only its digest is
    /// left of.
    func resolved(by contents: OutboxEntry.Base...) -> OutboxEntry.Base? {
        guard case .digest = self else { return self }
        return contents.first { $0.digested == self }
    }
}
