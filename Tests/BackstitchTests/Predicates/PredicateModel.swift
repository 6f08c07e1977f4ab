import Backstitch
import Foundation

extension ManagedObjectModel {
    /// Notes with every attribute type, folders and tags.
    static let predicates = ManagedObjectModel(
        [
            EntityDescription(
                "Note",
                [
                    .attribute("title", .string), .attribute("size", .integer64), .attribute("copies", .integer16),
                    .attribute("score", .double), .attribute("ratio", .float), .attribute("price", .decimal),
                    .attribute("done", .boolean), .attribute("created", .date), .attribute("raw", .binary),
                    .attribute("photo", .binary, external: true), .attribute("serial", .uuid), .attribute("link", .uri),
                    .attribute("shape", .transformable(transformer: "shape")), .attribute("in", .string),
                    .toOne("folder", "Folder", inverse: "notes"), .toMany("tags", "Tag", inverse: "notes"),
                ]),
            EntityDescription(
                "Folder",
                [
                    .attribute("name", .string), .attribute("rank", .integer32),
                    .toMany("notes", "Note", inverse: "folder"),
                    .toOne("home", "Folder", inverse: "rooms"), .toMany("rooms", "Folder", inverse: "home"),
                ]),
            EntityDescription("Tag", [.attribute("name", .string), .toMany("notes", "Note", inverse: "tags")]),
        ], transformers: [.json("shape", [Int].self)])
}

/// An object in memory: values and destinations by name.
final class MemorySubject: PredicateSubject {
    let objectID: ObjectID
    var values: [String: Value]
    var destinations: [String: [MemorySubject]]

    init(
        _ entityName: String, _ number: UInt64, _ values: [String: Value] = [:],
        _ destinations: [String: [MemorySubject]] = [:]
    ) {
        objectID = ObjectID(entityName: entityName, key: ObjectKey(high: 0, low: number))
        self.values = values
        self.destinations = destinations
    }

    func predicateValue(_ property: ResolvedProperty) throws -> Value {
        if property.relationship != nil {
            return destinations[property.name]?.first.map { .object($0.objectID) } ?? .null
        }
        return values[property.name] ?? .null
    }

    func predicateDestinations(_ property: ResolvedProperty) throws -> [any PredicateSubject] {
        destinations[property.name] ?? []
    }
}

/// Asks predicates of one model.
struct PredicateBench {
    let model: ResolvedModel
    let note: ResolvedEntity

    init() throws {
        model = try ResolvedModel(.predicates)
        note = try model.requireEntity(named: "Note")
    }

    func holds(_ format: String, _ arguments: [(any PredicateArgument)?] = [], for subject: MemorySubject) throws
        -> Bool
    {
        try holds(FetchPredicate(format: format, arguments: arguments), for: subject)
    }

    func holds(_ predicate: FetchPredicate, for subject: MemorySubject) throws -> Bool {
        let entity = try model.requireEntity(named: subject.objectID.entityName)
        return try predicate.resolved(for: entity, in: model).evaluate(subject)
    }

    /// The message of the error that resolving throws; nil, if it throws none.
    func fault(_ format: String, _ arguments: [(any PredicateArgument)?] = []) throws -> String? {
        let predicate = try FetchPredicate(format: format, arguments: arguments)
        do {
            _ = try predicate.resolved(for: note, in: model)
            return nil
        } catch let error as BackstitchError where error.code == .invalidPredicate {
            return error.message
        }
    }
}
