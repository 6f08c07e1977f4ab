package import Backstitch

/// An object in memory that predicates are asked about.
package final class LibraryObject: PredicateSubject {
    package let entity: ResolvedEntity
    package let objectID: ObjectID
    package var values: [Value]
    package fileprivate(set) var destinations: [String: [LibraryObject]] = [:]

    package init(_ entity: ResolvedEntity, _ key: ObjectKey) {
        self.entity = entity
        objectID = ObjectID(entityName: entity.name, key: key)
        values = Array(repeating: .null, count: entity.columnCount)
    }

    package func predicateValue(_ property: ResolvedProperty) throws -> Value {
        if property.slot < values.count { return values[property.slot] }
        return destinations[property.name]?.first.map { .object($0.objectID) } ?? .null
    }

    package func predicateDestinations(_ property: ResolvedProperty) throws -> [any PredicateSubject] {
        destinations[property.name] ?? []
    }

    package func set(_ name: String, _ value: Value) throws {
        values[try entity.requireProperty(named: name).slot] = value
    }
}

/// Objects of a model with their links.
package final class Library {
    package let model: ResolvedModel
    package private(set) var objects: [String: [LibraryObject]] = [:]
    /// Links of many-to-many relationships as their owners see them: `Note.tags` for instance.
    package private(set) var links: [String: [(source: LibraryObject, target: LibraryObject)]] = [:]

    package init() throws { model = try ResolvedModel(.library) }

    package func insert(_ entityName: String, key: ObjectKey) throws -> LibraryObject {
        let object = LibraryObject(try model.requireEntity(named: entityName), key)
        objects[entityName, default: []].append(object)
        return object
    }

    /// Links two objects by a many-to-many relationship, unless they are linked.
    package func link(_ source: LibraryObject, _ name: String, _ target: LibraryObject) throws {
        let property = try source.entity.requireProperty(named: name)
        guard let relationship = property.relationship else { return }
        let inverse = model.inverse(of: relationship)
        guard !(source.destinations[name] ?? []).contains(where: { $0 === target }) else { return }
        source.destinations[name, default: []].append(target)
        target.destinations[inverse.name, default: []].append(source)
        if relationship.storage == .ownedLinks {
            links["\(source.entity.name).\(name)", default: []].append((source, target))
        } else {
            links["\(target.entity.name).\(inverse.name)", default: []].append((target, source))
        }
    }

    /// Finds the destinations of all to-one relationships. Call it when all values are set.
    package func connect() {
        let all = Dictionary(uniqueKeysWithValues: objects.values.joined().map { ($0.objectID, $0) })
        for object in objects.values.joined().sorted(by: { $0.objectID < $1.objectID }) {
            for property in object.entity.columns {
                guard let relationship = property.relationship, case .object(let id) = object.values[property.slot],
                    let target = all[id]
                else { continue }
                object.destinations[property.name] = [target]
                target.destinations[model.inverse(of: relationship).name, default: []].append(object)
            }
        }
    }
}
