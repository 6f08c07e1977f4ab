import Backstitch
import Foundation

extension StoreConformance {
    /// Unsent changes and record states survive a migration, under new names.
    ///
    /// A backend must
    /// - rename entities and fields in its outbox, record states and history;
    /// - leave sequences, bases and versions unchanged;
    /// - add nothing to the outbox or to history for a migration: no server may hear of it.
    ///
    /// A store fails when it writes migrated rows like a save: every device then sends all of its objects.
    static let journalMigrationCases = [
        ConformanceCase.migration("unsent changes and record states follow renames, and a migration adds none") {
            bench in
            guard
                let type = try StoreRegistry.type(named: bench.description([:]).type.rawValue)
                    as? any JournalingStore.Type
            else { return }
            let generator = ObjectIDGenerator()
            let note = generator.next(), folder = generator.next(), tag = generator.next(), other = generator.next()
            let number = try bench.journal(type, .notes) { store, model in
                let entity = try model.requireEntity(named: "Note")
                try store.insert(model, "Note", [note, other], folder: folder)
                try store.insert(model, "Folder", [folder])
                try store.insert(model, "Tag", [tag])
                try store.writeJournal(author: "sync") { journal in
                    try journal.removeOutbox([note, folder, tag])
                    try journal.putRecordStates([
                        RecordState(objectID: ObjectID(entityName: "Note", key: note), changeTag: "t1"),
                        RecordState(objectID: ObjectID(entityName: "Tag", key: tag), changeTag: "t2"),
                    ])
                }
                var rows = RowBatchBuilder(entity: entity), originals = RowBatchBuilder(entity: entity)
                let before = try store.rows(of: entity, keys: [note])
                originals.appendRow(0, of: before)
                rows.beginRow(key: note, version: before.versions[0])
                for value in [Value.string("new"), 9, .null] { rows.append(value) }
                var changed = PropertySet()
                for slot in 0..<3 { changed.insert(slot) }
                var request = SaveChangesRequest(author: "test")
                request.updates = [RowUpdate(rows: rows.finish(), originals: originals.finish(), changed: [changed])]
                request.links = [
                    LinkChange(
                        entity: entity, property: try entity.requireProperty(named: "tags"),
                        added: [.init(source: note, target: tag)])
                ]
                return try store.save(request).transactionNumber
            }
            try bench.journal(type, .memos) { store, model in
                try store.readJournal { journal in
                    try expectEqual(journal.lastTransactionNumber(), number)
                    let entries = try journal.outbox(after: 0, limit: 100)
                    let memo = ObjectID(entityName: "Memo", key: note)
                    try expectEqual(Set(entries.map(\.objectID)), [memo, ObjectID(entityName: "Memo", key: other)])
                    guard let entry = entries.first(where: { $0.objectID == memo }) else { return }
                    try expectEqual(entry.kind, .update)
                    try expectEqual(entry.sequence, number)
                    try expectEqual(entry.fields.map(\.name), ["binder", "heading", "labels"])
                    try expectEqual(
                        entry.fields.map(\.base),
                        [
                            .value(.object(ObjectID(entityName: "Binder", key: folder))), .value("old"), .links([]),
                        ])
                    let states = try journal.recordStates(for: [note, tag])
                    try expectEqual(states[note]?.objectID, memo)
                    try expectEqual(states[note]?.changeTag, "t1")
                    try expectEqual(states[tag]?.objectID.entityName, "Tag")
                    let rows = try journal.rows(of: model.requireEntity(named: "Memo"), keys: [note])
                    try expectEqual(rows.versions, [2])
                }
            }
        },
        ConformanceCase.migration("rights by creator follow renames, and creators of removed entities' objects go") {
            bench in
            guard
                let type = try StoreRegistry.type(named: bench.description([:]).type.rawValue)
                    as? any JournalingStore.Type
            else { return }
            let generator = ObjectIDGenerator()
            let note = generator.next(), tag = generator.next()
            var all: [CreatorRights.Rights] = []
            for number in 0..<3 {
                all.append(CreatorRights.Rights(mayCreate: number == 0, mayChangeOthers: number == 1))
            }
            let rights = all
            let isKept = try bench.journal(type, .notes) { store, _ in
                try store.writeJournal(author: "sync") { journal in
                    let entities = ["Note": rights[0], "Folder": rights[1], "Tag": rights[2]]
                    try journal.setCreatorRights(CreatorRights(user: "_me", entities: entities))
                    try journal.putCreators([note: "_ada", tag: "_bob"])
                    try journal.putRecordStates([
                        RecordState(objectID: ObjectID(entityName: "Note", key: note), changeTag: "t1"),
                        RecordState(objectID: ObjectID(entityName: "Tag", key: tag), changeTag: "t2"),
                    ])
                    return try journal.creatorRights() != nil
                }
            }
            // A store without such rights ignores them.
            guard isKept else { return }
            try bench.journal(type, .memos) { store, _ in
                try store.readJournal { journal in
                    try expectEqual(
                        try journal.creatorRights()?.entities,
                        ["Memo": rights[0], "Binder": rights[1], "Tag": rights[2]])
                    try expectEqual(try journal.creators(of: [note, tag]), [note: "_ada", tag: "_bob"])
                }
            }
            let withoutTags = ManagedObjectModel([EntityDescription("Memo", [.attribute("heading", .string)])])
            try bench.journal(type, withoutTags) { store, _ in
                try store.readJournal { journal in
                    try expectEqual(try journal.creatorRights()?.entities, ["Memo": rights[0]])
                    try expectEqual(try journal.creators(of: [note, tag]), [note: "_ada"])
                }
            }
        },
    ]
}

extension MigrationBench {
    /// Opens the store as a synced one, without sync.
    func journal<Result>(
        _ type: any JournalingStore.Type, _ model: ManagedObjectModel,
        _ body: (any JournalingStore, ResolvedModel) throws -> Result
    ) throws -> Result {
        let description = description([:])
        let model = try ResolvedModel(model)
        let options = try StoreOptions(
            description.options, specifications: type.optionSpecifications(for: description.options))
        let store = try type.init(
            StoreConfiguration(
                model: model, url: description.url, options: options, clock: bench.clock, keepsOutbox: true))
        do {
            let result = try body(store, model)
            try store.close()
            return result
        } catch {
            try store.close()
            throw error
        }
    }
}

extension JournalingStore {
    /// Saves new rows. Their first attribute is `old`, and their to-one is `folder`.
    fileprivate func insert(
        _ model: ResolvedModel, _ name: String, _ keys: [ObjectKey], folder: ObjectKey? = nil
    ) throws {
        let entity = try model.requireEntity(named: name)
        var rows = RowBatchBuilder(entity: entity)
        for key in keys {
            rows.beginRow(key: key, version: 1)
            for column in entity.columns {
                if column.relationship != nil {
                    rows.append(folder.map { .object(ObjectID(entityName: "Folder", key: $0)) } ?? .null)
                } else {
                    rows.append(column.attribute?.type == .string ? "old" : .null)
                }
            }
        }
        var request = SaveChangesRequest(author: "test")
        request.inserts = [rows.finish()]
        _ = try save(request)
    }
}
