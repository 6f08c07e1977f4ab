import Backstitch

// Sync itself writes records too: it encrypts them again, or repeats lost changes. So a
// new change tag or ciphertext is no edit. An edit is a value that differs from the last agreed one; the deletion's
// entry has the digests of those.

extension RecordMerge {
    /// Merges a deletion here with a record that has changed since.
    func deletedHere(_ local: Local, editedThere server: RecordImage) -> Outcome {
        var entry = local.entry
        entry.unblock()
        entry.rebase(on: server, entity)
        // The record was never seen here, so it is this device's own insert, whose answer was lost before the deletion.
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

    /// Returns whether a user has changed the record since the last agreement with the server.
    private func isEdited(_ server: RecordImage, since local: Local) -> Bool {
        if local.rest.isMoved { return true }
        let isOwnPush = local.traces.contains { self.isOwnPush($0, server) }
        if local.entry.fields.isEmpty { return !isOwnPush }
        if local.rest.hasOtherChanges { return true }
        // The same values may mean that the object was created again, or that another one was merged into this one. It
        // is more likely that sync has written them, if there is a reason for that.
        let mayBeOfSync = local.rest.isUnderOtherKeys || local.rest.isFromLaterHistory || isOwnPush
        if mayBeMadeAgain, !mayBeOfSync { return true }
        let known = Dictionary(local.entry.fields.map { ($0.name, FieldDigest($0.base)) }, uniquingKeysWith: { $1 })
        return entity.syncedProperties.contains { property in
            // A property that is never downloaded is no evidence.
            if property.attribute?.syncDirection.downloads == false { return false }
            let content = server.content(of: property), digest = FieldDigest(content)
            guard let base = known[property.name] else { return !content.isEmpty }
            return digest != base && !local.traces.contains { $0[property.name] == digest }
        }
    }

    /// Whether a record with the same values may be another object's.
    private var mayBeMadeAgain: Bool { entity.isIdentifiedByValues || !entity.uniquenessConstraints.isEmpty }

    /// Returns whether the server's record is the result of an earlier push, whose answer was lost.
    private func isOwnPush(_ trace: PushTrace, _ server: RecordImage) -> Bool {
        trace.allSatisfy { name, digest in
            entity.property(named: name).map { FieldDigest(server.content(of: $0)) == digest } ?? false
        }
    }
}

extension OutboxEntry {
    /// Changes the base of a deletion to the present record.
    fileprivate mutating func rebase(on server: RecordImage, _ entity: ResolvedEntity) {
        for index in fields.indices {
            if let property = entity.property(named: fields[index].name), property.isSynced {
                fields[index].base = server.content(of: property).digested
            }
        }
    }

    /// Returns the entry for the deletion of an object with this present or former image.
    static func deletion(
        of id: ObjectID, _ image: RecordImage?, _ entity: ResolvedEntity, sequence: Int64, existing: OutboxEntry?
    ) -> OutboxEntry {
        let content = image.map { image in entity.syncedProperties.map { ($0.name, image.content(of: $0)) } }
        return deletion(of: id, sequence: sequence, content: content ?? [], existing: existing)
    }
}

extension OutboxEntry.Base {
    /// Whether the property is empty.
    fileprivate var isEmpty: Bool {
        switch self {
        case .value(let value): value.isNull
        case .links(let keys): keys.isEmpty
        case .digest: false
        }
    }

    /// Returns the content for a digest, if it is one of these contents. No other content is known for a digest.
    func resolved(by contents: OutboxEntry.Base...) -> OutboxEntry.Base? {
        guard case .digest = self else { return self }
        return contents.first { $0.digested == self }
    }
}
