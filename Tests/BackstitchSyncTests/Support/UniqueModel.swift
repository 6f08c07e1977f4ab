import Backstitch
import Foundation
import TestSupport

/// A model with unique constraints: of a tag's name, of a shelf's name within its room, of a person's badge and of the
/// nick.
enum UniqueModel {
    static let description = ManagedObjectModel([
        EntityDescription(
            "Tag", unique: [["name"]],
            [
                .attribute("name", .string), .attribute("color", .string), .attribute("rank", .integer64, default: 0),
                .attribute("icon", .binary, external: true),
                .toMany("notes", "Note", inverse: "tags"), .toMany("mainOf", "Note", inverse: "main"),
            ]),
        EntityDescription(
            "Note",
            [
                .attribute("title", .string, default: ""), .toMany("tags", "Tag", inverse: "notes"),
                .toOne("main", "Tag", inverse: "mainOf"),
            ]),
        EntityDescription(
            "Room", unique: [["name"]],
            [.attribute("name", .string), .toMany("shelves", "Shelf", inverse: "room", delete: .cascade)]),
        EntityDescription(
            "Shelf", unique: [["room", "name"]],
            [
                .attribute("name", .string), .attribute("size", .integer64), .toOne("room", "Room", inverse: "shelves"),
                .toMany("books", "Book", inverse: "shelf"),
            ]),
        EntityDescription("Book", [.attribute("title", .string), .toOne("shelf", "Shelf", inverse: "books")]),
        EntityDescription(
            "Draft", unique: [["slug"]],
            [.attribute("slug", .string), .attribute("isLocal", .boolean, default: false), .attribute("text", .string)]
        ).synced(where: "isLocal == false"),
    ])
}

extension ManagedObjectContext {
    /// Makes an object with these values; `number` gives it a key that is as high as the number.
    @discardableResult
    func make(_ entity: String, _ values: [String: Value] = [:], number: UInt64? = nil) throws -> ManagedObject {
        let object: ManagedObject
        if let number {
            object = try insertObject(with: ObjectID(entityName: entity, key: key(number)))
        } else {
            object = try insertObject(entityName: entity)
        }
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    func all(_ entity: String, _ predicate: String? = nil) throws -> [ManagedObject] {
        try fetch(
            FetchRequest<ManagedObject>(entityName: entity, predicate: predicate.map { try FetchPredicate(format: $0) })
        )
    }

    /// The only object of an entity with that name.
    func one(_ entity: String, _ predicate: String? = nil) throws -> ManagedObject {
        let all = try all(entity, predicate)
        guard all.count == 1 else {
            throw BackstitchError(.objectNotFound, "\(all.count) objects of \(entity) instead of one: \(all)")
        }
        return all[0]
    }
}
