import Backstitch

/// The objects of a save in conflict with the store: their rows were changed or deleted, or exist already.
struct SaveConflicts {
    private enum Kind: Equatable { case stale(Int64), exists, unlinkable }
    private var objects: [(entity: ResolvedEntity, key: ObjectKey, kind: Kind)] = []

    var isEmpty: Bool { objects.isEmpty }

    /// Notes a changed or deleted object whose row has another version than `version`, or is missing.
    mutating func stale(_ entity: ResolvedEntity, _ key: ObjectKey, version: Int64) {
        objects.append((entity, key, .stale(version)))
    }

    /// Notes a new object whose row already exists.
    mutating func exists(_ entity: ResolvedEntity, _ key: ObjectKey) { objects.append((entity, key, .exists)) }

    /// Notes an end of a link without a row.
    mutating func unlinkable(_ entity: ResolvedEntity, _ key: ObjectKey) { objects.append((entity, key, .unlinkable)) }

    /// Refuses new objects with the key of an object of another entity in their family. The two share a table, and no
    /// merge policy can merge them.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` with a fault for each such object.
    func refuseTakenKeys(_ reader: RowReader) throws {
        let clashes = objects.filter { $0.kind == .exists && $0.entity.family != nil }
        let faults = try Dictionary(grouping: clashes, by: \.entity).flatMap { entity, objects in
            let rows = try reader.rows(of: entity, keys: objects.map(\.key))
            return (0..<rows.count).map { rows.objectID(at: $0) }.filter { $0.entityName != entity.name }.map { other in
                BackstitchError.takenKey(ObjectID(entityName: entity.name, key: other.key), by: other)
            }
        }
        if !faults.isEmpty { throw BackstitchError.takenKeys(faults) }
    }

    /// One error for all conflicts. Each is a fault with the present version of the row.
    func error(_ reader: RowReader) throws -> BackstitchError {
        let stored = try Dictionary(grouping: objects, by: \.entity).mapValues { objects in
            try reader.versions(of: objects[0].entity, keys: objects.map(\.key))
        }
        let faults = objects.map { object in
            let id = ObjectID(entityName: object.entity.name, key: object.key)
            let now = stored[object.entity]?[object.key]
            return BackstitchError(.saveConflict, Self.message(id, object.kind, now), objectID: id)
        }
        return .combining(
            faults, code: .saveConflict, summary: "\(faults.count) objects conflict with their stored state:")
    }

    private static func message(_ id: ObjectID, _ kind: Kind, _ stored: Int64?) -> String {
        switch (kind, stored) {
        case (.exists, _): "\(id) is in the store already; fetch it, or insert an object with a key of its own"
        case (.unlinkable, _):
            "\(id) cannot be linked, because it is not in the store: it was deleted since it was read, or is not "
                + "saved yet; drop the link, or insert it anew"
        case (.stale(let read), let stored?):
            "\(id) was changed since it was read (version \(read), now \(stored)); refresh it and save again"
        case (.stale(let read), nil):
            "\(id) was deleted since it was read (version \(read)); drop the changes, or insert it anew"
        }
    }
}
