import Backstitch
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("a synced store under a new version of the model")
struct UpgradeTests {
    /// Three versions: the second adds an attribute, the third an entity.
    private static func model(_ version: Int) -> ManagedObjectModel {
        var properties: [PropertyDescription] = [.attribute("text", .string, default: "")]
        if version > 1 { properties.append(.attribute("created", .date)) }
        var entities = [EntityDescription("Entry", properties)]
        if version > 2 { entities.append(EntityDescription("Shelf", [.attribute("name", .string)])) }
        return ManagedObjectModel(entities)
    }

    @Test(
        "what the old version could not keep is there after the upgrade, also over two versions at once",
        arguments: [2, 3])
    func upgrade(to version: Int) async throws {
        try await SyncWorld.run { world in
            let newest = try world.device(model: Self.model(3))
            let created = Date(milliseconds: 1_700_000_000_000)
            let id = try await newest.edit { context in
                let entry = try context.insertObject(entityName: "Entry")
                try entry.setValue("written by the newest version", forKey: "text")
                try entry.setValue(.date(created), forKey: "created")
                let shelf = try context.insertObject(entityName: "Shelf")
                try shelf.setValue("upper", forKey: "name")
                return entry.objectID
            }
            try await newest.sync.sync()

            let old = try world.device("upgraded", model: Self.model(1))
            try await old.sync.sync()
            try await old.edit { context in
                try context.existingObject(with: id).setValue("edited by the oldest", forKey: "text")
                _ = try context.insertObject(entityName: "Entry")
            }
            try old.close()

            let upgraded = try world.device("upgraded", model: Self.model(version))
            try await upgraded.sync.sync()
            let entry = try await upgraded.read { context in
                let entry = try context.existingObject(with: id)
                return [try entry.value(forKey: "text"), try entry.value(forKey: "created")]
            }
            #expect(entry == ["edited by the oldest", .date(created)])
            if version == 3 {
                let names = try await upgraded.read { context in
                    try context.fetch(FetchRequest<ManagedObject>(entityName: "Shelf")).map {
                        try $0.value(forKey: "name")
                    }
                }
                #expect(names == ["upper"])
            }
            #expect(try await upgraded.sync.status.pendingCount == 0)

            // The unsent edit of the old version went up, and the migration itself sent nothing.
            try await newest.sync.sync()
            let found = try await newest.read { context in
                let entry = try context.existingObject(with: id)
                return [try entry.value(forKey: "text"), try entry.value(forKey: "created")]
            }
            #expect(found == entry)
            #expect(try await newest.read { try $0.count(for: FetchRequest<ManagedObject>(entityName: "Entry")) } == 2)
        }
    }
}
