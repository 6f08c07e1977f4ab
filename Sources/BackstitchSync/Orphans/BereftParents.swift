import Backstitch

/// Objects that others have deleted, and on which objects here hang that by the model go with them: the deleter did not
/// know of these. They are judged at the end of the pull, since the news of their own deletion, or of another parent,
/// may still be to come.
enum BereftParents {
    /// Takes note of those of the deleted objects of an entity on which others hang.
    ///
    /// Objects of an entity of which only some go to the server (`synced(where:)`) may be gone from there, and stay
    /// where they were made: nothing goes with those.
    static func note(
        _ deleted: [ObjectKey], of entity: SyncedEntity, in journal: any JournalWriting, _ settings: ApplySettings
    ) throws {
        guard entity.predicate == nil, try journal.judgesOrphans(settings) else { return }
        for rule in CascadeRule.all(of: entity.entity, settings.model) {
            let orphans = try rule.children(of: deleted, in: journal, settings.model)
            for parent in Set(orphans.map(\.parent)).sorted() {
                try journal.setNote(.bereft, of: parent, to: entity.entity.name)
            }
        }
    }

    /// Takes all of them, by the names of their entities.
    static func takeAll(from journal: any JournalWriting) throws -> [String: [ObjectKey]] {
        var all: [String: [ObjectKey]] = [:]
        for (key, name) in try journal.notes(.bereft) {
            try journal.removeNote(.bereft, of: key)
            all[name, default: []].append(key)
        }
        return all.mapValues { $0.sorted() }
    }
}

extension JournalReading {
    /// Whether objects go with the parents that others have deleted. In the public zone a record that is gone may only
    /// be no longer followed. In a zone of somebody else those judge that who may change all of it: a record that is
    /// gone may be out of sight for others, and they can delete nothing there.
    func judgesOrphans(_ settings: ApplySettings) throws -> Bool {
        guard settings.model.hasCascades, !settings.isPublic else { return false }
        return try !settings.isOfOthers || mayWriteAll(inZone: settings.zoneNumber)
    }
}

extension SyncNotes where Subject == ObjectKey, Value == String {
    /// The entities of deleted objects on which others hang, see ``BereftParents``.
    static var bereft: Self { Self(prefix: "sync.bereft/") }
}
