import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// Handles a server that has gone back to an earlier state. It finds records whose newer version this device had
    /// sent or received, and adds the lost values to the outbox. Lost deletions are undone: the objects exist again.
    ///
    /// - Returns: The news that are applied in the normal way.
    mutating func resendLost(of news: [RemoteChange], away: Set<ObjectKey>) throws -> [RemoteChange] {
        var others: [RemoteChange] = []
        var older: [String: [RemoteChange]] = [:]
        let sequence = try journal.lastTransactionNumber()
        for item in news {
            guard let state = states[item.key], isOlder(item, than: state), !away.contains(item.key),
                elsewhere[item.key] == nil
            else {
                others.append(item)
                continue
            }
            if item.record == nil {
                try resendWhole(state, sequence)
            } else {
                older[state.objectID.entityName, default: []].append(item)
            }
        }
        for (name, items) in older.sorted(by: { $0.key < $1.key }) {
            guard let entity = settings.model.entity(named: name) else { continue }
            let local = try LocalImages(of: items.map(\.key), entity, from: journal)
            for item in items { try resend(item, entity, local[item.key], sequence) }
        }
        if !notes.entries.isEmpty { result.hasUnsent = true }
        try keepAssets(lackedBy: others, away: away, sequence)
        return others
    }

    private func isOlder(_ item: RemoteChange, than state: RecordState) -> Bool {
        guard let known = state.changeTag.flatMap({ ChangeTag($0) }), let tag = item.tag.flatMap({ ChangeTag($0) })
        else { return false }
        return tag < known
    }

    /// Adds a record to the outbox as new, because the server does not have it.
    mutating func resendWhole(_ state: RecordState, _ sequence: Int64) throws {
        let key = state.objectID.key
        var state = state
        state.changeTag = nil
        if var entry = entries[key] {
            if entry.kind == .delete {
                notes.goneEntries.append(key)
                notes.goneStates.append(key)
                try journal.forgetTraces(of: [key])
                return
            }
            entry.kind = .insert
            entry.blockedReason = nil
            notes.entries.append(entry)
        } else {
            notes.entries.append(
                OutboxEntry(objectID: state.objectID, kind: .insert, sequence: sequence, firstSequence: sequence))
        }
        notes.states.append(state)
        // If the object is deleted before it is sent again, the deletion must still be sent: others may have sent the
        // object.
        let attempted = max(sequence, try journal.value(of: .attempted) ?? 0)
        try journal.set(.attempted, to: attempted)
    }

    /// Adds the values that the server's older version lacks; the next push is based on that version.
    mutating func resend(
        _ item: RemoteChange, _ entity: SyncedEntity, _ local: RecordImage?, _ sequence: Int64
    ) throws {
        guard let record = item.record, var state = states[item.key] else { return }
        state.changeTag = record.recordChangeTag
        guard let local, entries[item.key]?.kind != .delete else { return notes.states.append(state) }
        guard let (_, decoded) = try decode(record, item) else { return }
        notes.states.append(state)
        let there = decoded.image(key: item.key, of: entity, keeping: local)
        var entry =
            entries[item.key]
            ?? OutboxEntry(objectID: state.objectID, kind: .update, sequence: sequence, firstSequence: sequence)
        let absent = entity.assetColumns.filter { entity.sends($0) && !hasBytes($0, of: local) }
        try takeAssets(absent, of: item, there, entity, local)
        for property in entity.entity.syncedProperties where entity.sends(property) {
            let base = there.content(of: property)
            if absent.contains(where: { $0.slot == property.slot }) {
                entry.fields.removeAll { $0.name == property.name }
            } else if let known = entry.fields.firstIndex(where: { $0.name == property.name }) {
                entry.fields[known].base = base
            } else if base != local.content(of: property) {
                entry.fields.append(.init(name: property.name, sequence: entry.sequence, base: base))
            }
        }
        guard !entry.fields.isEmpty else {
            // Only such an asset was unsent.
            if let known = entries[item.key], known.kind == .update, !known.fields.isEmpty {
                notes.goneEntries.append(item.key)
            }
            return
        }
        entry.fields.sort { $0.name < $1.name }
        notes.entries.append(entry)
    }
}
