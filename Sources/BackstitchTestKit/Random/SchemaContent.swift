import Backstitch
import Foundation

/// The content of a store, by the numbers of its schema's parts rather than by their names.
struct SchemaContent: Equatable, Sendable {
    /// Values by entity, key and attribute.
    private(set) var values: [Int: [ObjectKey: [Int: Value]]] = [:]
    /// By link and end: the keys at the other end.
    private(set) var links: [Int: [Int: [ObjectKey: Set<ObjectKey>]]] = [:]

    /// Reads all objects of the schema's entities.
    init(of schema: RandomSchema, in context: ManagedObjectContext) throws {
        for entity in schema.entities {
            values[entity.id] = [:]
            for object in try context.all(entity.name) {
                var row: [Int: Value] = [:]
                for attribute in entity.attributes {
                    row[attribute.id] =
                        attribute.isExternal
                        ? (object[attribute.name] as Data?).map(Value.data) ?? .null
                        : try object.value(forKey: attribute.name)
                }
                values[entity.id]?[object.key] = row
            }
        }
        for link in schema.links {
            for (index, end) in link.ends.enumerated() {
                var targets: [ObjectKey: Set<ObjectKey>] = [:]
                for object in try context.all(schema.entity(end.entity)?.name ?? "") {
                    let found = try object.objects(atEnd: end)
                    if !found.isEmpty { targets[object.key] = found }
                }
                links[link.id, default: [:]][index] = targets
            }
        }
    }

    /// Returns the part that has a place in the schema. New attributes are nil everywhere.
    func limited(to schema: RandomSchema) -> SchemaContent {
        var result = self
        result.values = [:]
        result.links = [:]
        for entity in schema.entities {
            result.values[entity.id] = (values[entity.id] ?? [:]).mapValues { row in
                Dictionary(uniqueKeysWithValues: entity.attributes.map { ($0.id, row[$0.id] ?? .null) })
            }
        }
        for link in schema.links { result.links[link.id] = links[link.id] ?? [0: [:], 1: [:]] }
        return result
    }

    /// Describes the first difference in words, for the message of a failed test.
    func difference(from other: SchemaContent) -> String {
        for (entity, rows) in values where other.values[entity] != rows {
            return "entity \(entity) should hold \(rows), and holds \(other.values[entity] ?? [:])"
        }
        for (link, ends) in links where other.links[link] != ends {
            return "link \(link) should lead to \(ends), and leads to \(other.links[link] ?? [:])"
        }
        return "there is more than there should be: \(other)"
    }
}

extension ManagedObject {
    /// The keys of the objects that an end of a link leads to.
    fileprivate final func objects(atEnd end: RandomSchema.Link.End) throws -> Set<ObjectKey> {
        if end.isToMany { return Set(try objects(forKey: end.name).map(\.key)) }
        if case .object(let id) = try value(forKey: end.name) { return [id.key] }
        return []
    }
}
