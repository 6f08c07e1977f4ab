import Backstitch

/// Applies delete rules at the end of a pull. The rules belong to objects deleted by other devices. They apply to
/// dependent objects that the deleter did not know.
///
/// | the object that depends on a deleted one | then |
/// |---|---|
/// | is as the server has it | it is deleted, here and on the server, with everything below it |
/// | has unsent changes | a conflict of an edit with a deletion: it is deleted, or loses its parent and stays |
/// | never goes to the server | it stays, without its parent |
struct OrphanSettler {
    private let journal: any JournalWriting
    private let settings: ApplySettings
    private var result = AppliedChanges()
    private var number: Int64?

    /// A dependent object of a deleted one.
    private struct Orphan {
        let id: ObjectID
        let entity: ResolvedEntity
        let column: ResolvedProperty
        var image: RecordImage
    }

    /// Applies the rules if this device judges orphans, and adds the results to `applied`.
    ///
    /// - Throws: ``OpenConflicts`` if a resolver is to be asked first; the errors of the store.
    static func settle(
        in journal: any JournalWriting, _ settings: ApplySettings, _ applied: inout AppliedChanges
    ) throws {
        guard try journal.judgesOrphans(settings) else { return }
        var settler = OrphanSettler(journal, settings)
        try settler.settle()
        applied.add(settler.result)
    }

    private init(_ journal: any JournalWriting, _ settings: ApplySettings) {
        (self.journal, self.settings) = (journal, settings)
    }

    private mutating func settle() throws {
        var next = try ParentsDeletedElsewhere.takeAll(from: journal)
        while !next.isEmpty {
            var deleted: [String: [ObjectKey]] = [:]
            for (name, parents) in next.sorted(by: { $0.key < $1.key }) {
                for orphan in try orphans(of: parents, name) where try judge(orphan) {
                    deleted[orphan.id.entityName, default: []].append(orphan.id.key)
                }
            }
            next = deleted
        }
        if settings.resolver.hasOpenConflicts { throw OpenConflicts() }
    }

    private func orphans(of parents: [ObjectKey], _ name: String) throws -> [Orphan] {
        guard let entity = settings.model.entity(named: name)?.entity else { return [] }
        // Some may have been made anew meanwhile.
        let there = Set(try journal.rows(of: entity, keys: parents).keys)
        let gone = parents.filter { !there.contains($0) }
        return try CascadeRule.all(of: entity, settings.model).flatMap { rule in
            let ids = try rule.children(of: gone, in: journal, settings.model).map(\.id)
            return try Dictionary(grouping: ids, by: \.entityName).sorted { $0.key < $1.key }.flatMap { name, ids in
                guard let entity = settings.model.entity(named: name) else { return [Orphan]() }
                let images = try LocalImages(of: ids.map(\.key), entity, from: journal)
                return ids.compactMap { id in
                    images[id.key].map { Orphan(id: id, entity: entity.entity, column: rule.column, image: $0) }
                }
            }
        }
    }

    /// Deletes an orphan. If it stays, removes its parent.
    ///
    /// - Returns: Whether it was deleted.
    private mutating func judge(_ orphan: Orphan) throws -> Bool {
        let key = orphan.id.key
        guard try journal.zones(of: [key])[key] ?? 0 == settings.zoneNumber else { return false }
        let entry = try journal.outbox(for: [key])[key]
        let isKnown = try journal.recordStates(for: [key])[key]?.changeTag != nil
        guard let entry, !entry.hasNoEdits else {
            // An object that exists only on this device is not deleted.
            if isKnown { try delete(orphan, entry, isKnown: true) }
            return isKnown
        }
        guard entry.kind != .delete, let winner = winner(of: orphan, entry) else { return false }
        result.conflicts.append(
            SyncConflict(
                objectID: orphan.id, kind: .editedHereDeletedThere, keys: entry.fields.map(\.name), winner: winner))
        guard winner == .server else {
            try takeParent(from: orphan, entry)
            return false
        }
        try delete(orphan, entry, isKnown: isKnown)
        return true
    }

    /// The side that wins the conflict.
    ///
    /// - Returns: Nil without a decision: the object then stays as it is.
    private func winner(of orphan: Orphan, _ entry: OutboxEntry) -> SyncConflict.Side? {
        guard case .winner(let winner, _) = settings.decide(deletionOf: orphan.id, orphan.image, orphan.entity, entry)
        else { return nil }
        return winner
    }

    private mutating func delete(_ orphan: Orphan, _ entry: OutboxEntry?, isKnown: Bool) throws {
        result.changes.deleted.append(orphan.id)
        let isToBeSent = try journal.delete(
            orphan.id, orphan.image, of: orphan.entity, entry, isKnown: isKnown, number: { try nextNumber() })
        if isToBeSent { result.hasUnsent = true }
    }

    /// The object stays, and other devices hear that it has no parent any more. Otherwise they would delete it.
    private mutating func takeParent(from orphan: Orphan, _ entry: OutboxEntry) throws {
        var image = orphan.image, entry = entry
        let slot = orphan.column.slot
        let before = image.values[slot]
        image.values[slot] = .null
        try journal.upsert(image.row(orphan.id.key, of: orphan.entity))
        result.changes.updated.append(orphan.id)
        entry.note([(orphan.column, .value(before))], number: try nextNumber())
        try journal.putOutbox([entry])
        result.hasUnsent = true
    }

    private mutating func nextNumber() throws -> Int64 {
        if let number { return number }
        let next = try journal.takeTransactionNumber()
        number = next
        return next
    }
}
