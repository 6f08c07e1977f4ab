import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("a synced store under a new version of the model", .scenario)
struct UpgradeTests: ScenarioSuite {
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
        let newest = try s.device(model: Self.model(3))
        let entry = try await newest.edit { context in
            try context.make("Shelf", ["name": "upper"], number: 3)
            return try context.make(
                "Entry", ["text": "by the newest", "created": .date(Date(milliseconds: 1_700_000_000_000))], number: 1
            ).objectID
        }
        try await newest.sync.sync()

        let old = try s.device("upgraded", model: Self.model(1))
        try await old.sync.sync()
        try await old.set(entry, ["text": "edited by the oldest"])
        try await old.add([:], "Entry", number: 2)
        try old.close()

        let upgraded = try s.device("upgraded", model: Self.model(version))
        try await upgraded.sync.sync()
        let entries = ["Entry 1 created at 1700000000000 text 'edited by the oldest'", "Entry 2 text ''"]
        let all = entries + ["Shelf 3 name 'upper'"]
        try await s.expect(on: [upgraded], lines: version == 3 ? all : entries)
        #expect(try await upgraded.sync.status.pendingCount == 0)

        // The unsent edit of the old version went up, and the migration itself sent nothing.
        try await newest.sync.sync()
        try await s.expect(on: [newest], lines: all)
    }

    /// Notes with a photo: in the row or outside it, sent or not.
    private static func photos(external: Bool, _ direction: SyncDirection) -> ManagedObjectModel {
        let photo = PropertyDescription.attribute("photo", .binary, external: external).synced(direction)
        return ManagedObjectModel([EntityDescription("Entry", [.attribute("text", .string, default: ""), photo])])
    }

    @Test("the storage of a synced attribute cannot change, because its field would; that of a local one can")
    func externalStorage() async throws {
        for external in [false, true] {
            for direction in [SyncDirection.both, .download, .none] {
                let name = "\(external)-\(direction)"
                let old = try s.device(name, model: Self.photos(external: external, direction))
                let entry = try await old.edit { context in
                    try context.make("Entry", ["photo": .data(Data(name.utf8))], number: 1).objectID
                }
                try old.close()
                let model = Self.photos(external: !external, direction)
                if direction != .none {
                    let error = #expect(throws: BackstitchError.self) { _ = try s.device(name, model: model) }
                    #expect(error?.code == .modelMismatch, "\(name)")
                    #expect(error?.key == "Entry.photo", "\(name)")
                }
                let again = try s.device(
                    name, model: direction == .none ? model : Self.photos(external: external, direction))
                let photo = try await again.edit { try $0.existingObject(with: entry)["photo"] as Data? }
                #expect(photo == Data(name.utf8), "\(name)")
                try again.close()
            }
        }
    }
}
