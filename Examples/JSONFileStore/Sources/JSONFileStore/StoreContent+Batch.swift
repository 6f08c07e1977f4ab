import Backstitch

extension StoreContent {
    /// The number of rows in each part of an insert.
    private static let partLength = 1000

    /// Executes a batch request, on a copy of the content as ``save(_:)`` does.
    ///
    /// - Parameter keep: Keeps the bytes that rows name.
    mutating func execute(
        _ request: StoreBatchRequest, keep: (AssetContents) throws -> Void
    ) throws -> StoreChanges {
        try keep(request.assets)
        var changes = StoreChanges()
        var conflicts: [BackstitchError] = []
        switch request.operation {
        case .insert(_, let rows):
            let next = rows()
            while let part = try next(Self.partLength) {
                try keep(part.assets)
                insert(part.rows, &conflicts)
                changes.inserted += Self.ids(of: part.rows)
            }
        case .update(let fetch, let assignments):
            let update = try self.fetch(fetch).applying(assignments)
            change(update, &conflicts)
            changes.updated = Self.ids(of: update.rows)
        case .delete(let fetch):
            changes = try delete(try subjects(fetch).map(\.key), of: fetch.entity)
        }
        try Self.refuse(conflicts)
        if !changes.isEmpty { transactionNumber += 1 }
        return changes
    }

    private static func ids(of rows: RowBatch) -> [ObjectID] { (0..<rows.count).map(rows.objectID) }
}

/// Deleting by the delete rules: find all objects to delete, refuse if a rule denies it, unlink, delete.
extension StoreContent {
    private typealias Doomed = [ResolvedEntity: Set<ObjectKey>]

    /// - Throws: ``BackstitchError/Code/deleteDenied`` with a fault for each object that a deny rule keeps.
    private mutating func delete(_ keys: [ObjectKey], of entity: ResolvedEntity) throws -> StoreChanges {
        let doomed = cascade(from: keys, of: root(of: entity))
        try Self.refuse(denials(doomed))
        var changes = StoreChanges()
        for (entity, keys) in doomed {
            changes.updated += unlink(keys, of: entity, doomed)
            changes.deleted += keys.compactMap { key in
                row(key, of: entity).map { ObjectID(entityName: $0.entityName, key: key) }
            }
        }
        changes.updated = Set(changes.updated).sorted()
        changes.deleted.sort()
        for (entity, keys) in doomed { for key in keys { remove(key, of: entity) } }
        return changes
    }

    /// Returns the root entity, since a family has one table and one layout.
    private func root(of entity: ResolvedEntity) -> ResolvedEntity {
        model.entity(named: Self.table(of: entity)) ?? entity
    }

    private func cascade(from keys: [ObjectKey], of entity: ResolvedEntity) -> Doomed {
        var doomed: Doomed = [entity: Set(keys)]
        var rest = keys.map { (entity, $0) }
        while let (entity, key) = rest.popLast() {
            for (property, relationship) in Self.relationships(of: entity, [.cascade]) {
                let destination = root(of: model.destination(of: relationship))
                for target in targets(of: property, in: entity, from: key)
                where doomed[destination, default: []].insert(target).inserted {
                    rest.append((destination, target))
                }
            }
        }
        return doomed
    }

    private func denials(_ doomed: Doomed) -> [BackstitchError] {
        var faults: [BackstitchError] = []
        for (entity, keys) in doomed.sorted(by: { $0.key.index < $1.key.index }) {
            for (property, relationship) in Self.relationships(of: entity, [.deny]) {
                let going = doomed[root(of: model.destination(of: relationship))] ?? []
                for key in keys.sorted() {
                    let kept = targets(of: property, in: entity, from: key).first { !going.contains($0) }
                    guard let kept, let name = row(key, of: entity)?.entityName else { continue }
                    let id = ObjectID(entityName: name, key: key)
                    let other = ObjectID(entityName: relationship.description.destination, key: kept)
                    let message =
                        "\(id) cannot be deleted while its \(property.name) has \(other); delete that too, or unlink it"
                    faults.append(BackstitchError(.deleteDenied, message, objectID: id, key: property.name))
                }
            }
        }
        return faults
    }

    /// Clears columns of remaining rows that name deleted objects. Many-to-many links are removed with the rows.
    private mutating func unlink(_ keys: Set<ObjectKey>, of entity: ResolvedEntity, _ doomed: Doomed) -> [ObjectID] {
        var changed: [ObjectID] = []
        for (property, relationship) in Self.relationships(of: entity, [.nullify, .cascade, .deny])
        where relationship.storage == .inverseColumn {
            let destination = root(of: model.destination(of: relationship))
            let column = model.inverse(of: relationship).slot
            for target in keys.flatMap({ targets(of: property, in: entity, from: $0) })
            where doomed[destination]?.contains(target) != true {
                guard var row = row(target, of: destination) else { continue }
                row.values[column] = .null
                row.version += 1
                put(row, target, of: destination)
                changed.append(ObjectID(entityName: row.entityName, key: target))
            }
        }
        return changed
    }

    private static func relationships(
        of entity: ResolvedEntity, _ rules: Set<DeleteRule>
    ) -> [(ResolvedProperty, ResolvedRelationship)] {
        entity.properties.compactMap { property in
            guard let relationship = property.relationship, rules.contains(relationship.description.deleteRule) else {
                return nil
            }
            return (property, relationship)
        }
    }
}
