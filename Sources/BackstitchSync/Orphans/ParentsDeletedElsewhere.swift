import Backstitch

/// Objects deleted by other devices, with objects here that the model deletes along with them. The deleter did not know
/// of these. They are judged at the end of the pull: their own deletion, or another parent, may still be to come.
enum ParentsDeletedElsewhere {
    /// Notes the deleted objects of an entity with dependent objects here.
    ///
    /// Entities with a condition for sending (`synced(where:)`) are left out. Their objects may be gone from the server
    /// only, and stay on the device that made them.
    static func note(
        _ deleted: [ObjectKey], of entity: SyncedEntity, in journal: any JournalWriting, _ settings: ApplySettings
    ) throws {
        guard entity.predicate == nil, try journal.judgesOrphans(settings) else { return }
        for rule in CascadeRule.all(of: entity.entity, settings.model) {
            let orphans = try rule.children(of: deleted, in: journal, settings.model)
            for parent in Set(orphans.map(\.parent)).sorted() {
                try journal.setNote(.deletedParents, of: parent, to: entity.entity.name)
            }
        }
    }

    /// Takes all of them, by the names of their entities.
    static func takeAll(from journal: any JournalWriting) throws -> [String: [ObjectKey]] {
        var all: [String: [ObjectKey]] = [:]
        for (key, name) in try journal.notes(.deletedParents) {
            try journal.removeNote(.deletedParents, of: key)
            all[name, default: []].append(key)
        }
        return all.mapValues { $0.sorted() }
    }
}

extension JournalReading {
    /// Whether this device deletes objects together with parents deleted by others. In the public zone a missing record
    /// may only be no longer followed. In another user's zone only users with the right to change all of it do this.
    /// For other users a missing record may only be invisible, and they cannot delete anything there.
    func judgesOrphans(_ settings: ApplySettings) throws -> Bool {
        guard settings.model.hasCascades, !settings.isPublic else { return false }
        return try !settings.isOfOthers || mayWriteAll(inZone: settings.zoneNumber)
    }
}

extension SyncNotes where Subject == ObjectKey, Value == String {
    /// The entities of deleted objects with dependent objects here, see ``ParentsDeletedElsewhere``.
    static var deletedParents: Self { Self(prefix: "sync.deletedParents/") }
}
