import Backstitch
import CloudWire

extension RemoteChangeApplier {
    /// The facts about a piece of news. Nothing is written.
    func facts(of item: RemoteChange, away: Set<ObjectKey>) throws -> NewsFacts {
        let key = item.key, entry = entries[key]
        var facts = NewsFacts()
        facts.isDeletion = item.record == nil
        facts.change = entry?.kind
        facts.isAway = away.contains(key)
        if settings.followsMoves {
            facts.isLeftover = isLeftover(item)
            facts.mayHaveMoved = mayHaveMoved(item)
        }
        if let former = elsewhere[key] {
            facts.elsewhere = try reason(for: item, from: former)
        } else if let state = states[key], let tag = state.changeTag, item.record?.recordChangeTag == tag,
            !canReadMore(of: state)
        {
            facts.knownTag = knownTags(tag)
        }
        facts.isDeletedVersion = deletionStands(item)
        if let entry { facts.losesChanges = try losesChanges(item, entry) }
        if let record = item.record { facts.isWithdrawn = isWithdrawn(record, item) }
        return facts
    }

    /// Carries out the verdict about a piece of news.
    mutating func carryOut(_ facts: NewsFacts, on item: RemoteChange, in sorted: inout SortedNews) throws {
        switch facts.verdict {
        case .leave: try noteLeft(item)
        case .echo: result.echoed += 1
        case .park: try parkSecond(item)
        case .keep: try keepGone(item)
        case .stand: break
        case .takeBack: try takeBack(item, in: &sorted.gone)
        case .merge:
            try endWithdrawal(of: item)
            sorted.dirty.append(item)
        case .follow:
            try endWithdrawal(of: item)
            try noteAway(item)
        case .withdraw: if let record = item.record { try withdraw(record, item) }
        case .apply:
            try endWithdrawal(of: item)
            guard let record = item.record, let (entity, decoded) = try decode(record, item) else { return }
            if facts.knownTag == .compare { sorted.compared.insert(item.key) }
            if facts.knownTag == .acknowledged { sorted.acknowledged.insert(item.key) }
            sorted.clean[entity.entity.index].append(
                CleanRecord(news: item, decoded: decoded, isNew: states[item.key]?.changeTag == nil))
        case .delete: try noteDeletion(of: item, in: &sorted.gone)
        }
    }

    /// Returns whether an object was deleted here and its record is unchanged since then: it was only read again.
    private func deletionStands(_ item: RemoteChange) -> Bool {
        guard entries[item.key]?.kind == .delete, conflicting[item.key] == nil, let record = item.record,
            elsewhere[item.key] == nil
        else { return false }
        return record.recordChangeTag != nil && record.recordChangeTag == states[item.key]?.changeTag
    }

    /// Returns whether the model now knows fields that were stored unread before. They were sent back to the server,
    /// but are not shown here yet.
    private func canReadMore(of state: RecordState) -> Bool {
        guard let kept = state.unknownFields, let entity = settings.model.entity(named: state.objectID.entityName),
            let fields = try? WireRecord.Fields(json: Array(kept))
        else { return false }
        return fields.values.keys.contains { entity.fieldNames.contains($0) }
    }

    /// Follows the record of an object that was only removed here, to notice its deletion.
    private mutating func noteAway(_ item: RemoteChange) throws {
        if let record = item.record, let id = states[item.key]?.objectID {
            // A stranger may give any name to a record.
            if let former = elsewhere[item.key], settings.isOfOthers, !isOfSameOwner(former) { return }
            notes.states.append(
                RecordState(objectID: id, foreignName: item.foreignName, changeTag: record.recordChangeTag))
            if let former = elsewhere[item.key] { try noteArrival(of: item.key, id.entityName, from: former) }
        } else if item.record == nil {
            notes.goneStates.append(item.key)
            try journal.removeNote(.away, of: item.key)
        }
    }

    private mutating func noteDeletion(of item: RemoteChange, in gone: inout [[ObjectKey]]) throws {
        try dropParked(item)
        guard let id = states[item.key]?.objectID, let entity = settings.model.entity(named: id.entityName) else {
            result.echoed += 1
            return
        }
        gone[entity.entity.index].append(item.key)
        notes.goneStates.append(item.key)
        result.changes.deleted.append(id)
    }
}
