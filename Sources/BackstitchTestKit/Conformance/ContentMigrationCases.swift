import Backstitch
import Foundation

extension StoreConformance {
    /// The photo is not synced, because the storage of a synced attribute cannot change.
    ///
    /// - Parameter version: Makes the model a new one for every store. Otherwise it would count as an older program's
    ///   model.
    private static func note(_ photo: PropertyDescription, version: Int) -> ManagedObjectModel {
        ManagedObjectModel([
            EntityDescription("Note", [.attribute("title", .string), photo.synced(.none)]),
            EntityDescription("Version\(version)", []),
        ])
    }

    /// Photos of a family's members. They move to the parent, and back.
    private static func family(photoInParent: Bool, external: Bool, version: Int) -> ManagedObjectModel {
        let photo = PropertyDescription.attribute("photo", .binary, external: external).synced(.none)
        return ManagedObjectModel([
            EntityDescription(
                "Item", abstract: true, [.attribute("name", .string)] + (photoInParent ? [photo] : [])),
            EntityDescription("Memo", parent: "Item", photoInParent ? [] : [photo]),
            EntityDescription("Task", parent: "Item", photoInParent ? [] : [photo]),
            EntityDescription("Event", parent: "Item", []),
            EntityDescription("Version\(version)", []),
        ])
    }

    /// No bytes, one byte, equal values, and more bytes than are read at once.
    private static let photos: [Data?] =
        [nil, Data(), Data([7]), Data([7])] + (0..<3).map { Data(repeating: UInt8($0), count: 3_000_000 + $0) }

    /// The photos of all notes, in the order of their creation.
    private static func photos(_ context: ManagedObjectContext, _ key: String = "photo") throws -> [Data?] {
        try context.all("Note").map { $0[key] as Data? }
    }

    /// The references to the photos that a store keeps outside its rows.
    private static func outside(_ context: ManagedObjectContext) throws -> Int {
        let assets = context.coordinator.store.assets
        return Set(photos.compactMap { $0 }.map(assets.reference)).filter(assets.contains).count
    }

    /// An attribute's bytes move out of the rows, or into the rows, when its storage changes.
    ///
    /// A backend must
    /// - store the bytes before the migration is committed, and keep them from being collected until then;
    /// - refuse the migration, and change nothing, if bytes to move into a row are missing;
    /// - read and write a limited number of bytes at once.
    ///
    /// A store fails when it takes the column of the other place for the same column: a row then names bytes that were
    /// never stored.
    static let contentMigrationCases = [
        ConformanceCase.migration("bytes move out of the rows, and into them again, without a stage") { bench in
            func model(_ external: Bool, _ version: Int) -> ManagedObjectModel {
                note(.attribute("photo", .binary, external: external), version: version)
            }
            try await bench.open(model(false, 1)) { context in
                for photo in photos { try context.make("Note", ["photo": photo.map(Value.data) ?? .null]) }
                try expectEqual(outside(context), 0)
            }
            let step = try bench.plan(model(true, 2))?.steps.first { $0.propertyName == "photo" }
            try expectEqual(step?.description, "Note.photo was kept in the row, and is kept outside the row now")
            try expectEqual(step?.losesData, false)
            try await bench.open(model(true, 2)) { context in
                try expectEqual(photos(context), photos)
                try expectEqual(outside(context), 5)
                // Nothing else may name the bytes after a collection either.
                try expectEqual(context.coordinator.collectAssets(), 0)
                try expectEqual(photos(context), photos)
            }
            try await bench.open(model(false, 3)) { context in
                try expectEqual(photos(context), photos)
                let found = try FetchRequest<ManagedObject>(entityName: "Note", where: "photo == %@", Data([7]))
                try expectEqual(context.count(for: found), 2)
            }
            // The collection at the opening may have been first.
            try await bench.open(model(false, 3)) { context in
                _ = try context.coordinator.collectAssets()
                try expectEqual(outside(context), 0)
                try expectEqual(photos(context), photos)
            }
        },
        ConformanceCase.migration("bytes move while their attribute is renamed, is required, or gets a default") {
            bench in
            try await bench.open(note(.attribute("photo", .binary), version: 1)) { context in
                for photo in photos { try context.make("Note", ["photo": photo.map(Value.data) ?? .null]) }
            }
            let fallback = Data("none".utf8)
            let filled = photos.map { $0 ?? fallback }
            let outer = PropertyDescription.attribute(
                "picture", .binary, optional: false, default: .data(fallback), external: true
            ).renamed(from: "photo")
            try await bench.open(note(outer, version: 2)) { context in
                try expectEqual(photos(context, "picture"), filled)
                try expectEqual(outside(context), 5)
            }
            let inner = PropertyDescription.attribute("image", .binary).renamed(from: "picture")
            try await bench.open(note(inner, version: 3)) { try expectEqual(photos($0, "image"), filled) }
            let added = ManagedObjectModel([
                EntityDescription(
                    "Note",
                    [
                        .attribute("title", .string), inner.synced(.none),
                        .attribute("sound", .binary, optional: false, default: .data(fallback), external: true),
                    ])
            ])
            try await bench.open(added) { context in
                try expectEqual(photos(context, "image"), filled)
                try expectEqual(Set(photos(context, "sound")), [fallback])
            }
        },
        ConformanceCase.migration("bytes move within a family, from the members to the parent and back") { bench in
            if bench.bench.store.lacks.contains(.inheritance) { return }
            let names = ["Memo", "Task"]
            @Sendable func found(_ context: ManagedObjectContext) throws -> [[Data?]] {
                try names.map { try context.all($0).map { $0["photo"] as Data? } }
            }
            try await bench.open(family(photoInParent: false, external: false, version: 1)) { context in
                for name in names {
                    for photo in photos { try context.make(name, ["photo": photo.map(Value.data) ?? .null]) }
                }
                try context.make("Event")
            }
            for (version, (inParent, external)) in [
                (true, true), (false, true), (true, false), (false, true), (false, false), (true, true),
            ].enumerated() {
                try await bench.open(family(photoInParent: inParent, external: external, version: version + 2)) {
                    context in
                    try expectEqual(found(context), [photos, photos], "version \(version + 2)")
                    _ = try context.coordinator.collectAssets()
                    context.refreshAllObjects()
                    try expectEqual(found(context), [photos, photos], "version \(version + 2), collected")
                    if inParent { try expectEqual(context.all("Event").map { $0["photo"] as Data? }, [nil]) }
                }
            }
        },
        ConformanceCase.migration("missing bytes cannot move into the rows, and the store stays as it was") { bench in
            let outer = note(.attribute("photo", .binary, external: true), version: 1)
            let inner = note(.attribute("photo", .binary), version: 2)
            let id = try await bench.open(outer) { context in
                try context.make("Note", ["title": "whole", "photo": .data(Data([1]))])
                return try context.make("Note", ["title": "lost", "photo": .data(Data([2]))]).objectID
            }
            try await bench.open(outer) { context in
                let assets = context.coordinator.store.assets
                try assets.remove(assets.reference(to: Data([2])))
            }
            let error = try bench.refusal(inner, .asset)
            try expectEqual(error.objectID, id)
            try expectEqual(error.key, "photo")
            try await bench.open(outer) { context in
                let notes = try context.all("Note")
                try expectEqual(notes[0]["photo"] as Data?, Data([1]))
                try notes[1].setValue(.null, forKey: "photo")
            }
            try await bench.open(inner) { try expectEqual(photos($0), [Data([1]), nil]) }
        },
        ConformanceCase.migration("a stage sees the bytes in their new place, and can write further ones") { bench in
            let first = note(.attribute("photo", .binary), version: 1)
            let second = note(.attribute("photo", .binary, external: true), version: 2)
            try await bench.open(first) { context in
                for byte in 0..<3 { try context.make("Note", ["photo": .data(Data([UInt8(byte)]))]) }
            }
            let stage = MigrationStage.custom("photos are completed", from: first, to: second) { rows in
                try rows.update("Note") { old, new in
                    guard case .data(let bytes) = try old["photo"], case .asset(let name) = try new["photo"],
                        name.size == Int64(bytes.count)
                    else { throw ConformanceFailure(description: "\(try old["photo"]) and \(try new["photo"])") }
                    if bytes == Data([1]) { try new.set("photo", .data(Data("one".utf8))) }
                }
                try rows.insert("Note", key: nil, ["photo": .data(Data("inserted".utf8))])
            }
            try await bench.with([stage]).open(second) { context in
                try expectEqual(
                    photos(context), [Data([0]), Data("one".utf8), Data([2]), Data("inserted".utf8)])
            }
        },
    ]
}
