import Backstitch
import BackstitchSupport

/// Objects that move together: the given ones, and everything below them by the parent relationships of their entities.
struct ObjectFamily {
    private(set) var members: [ObjectID] = []
    private var keys: Set<ObjectKey> = []

    /// The number for a zone that is still to be made. No zone has it.
    static let newZone: Int64 = -1

    /// Collects the objects and everything below them.
    ///
    /// - Throws: ``BackstitchError/Code/objectNotFound`` if one of the objects is not in the store.
    init(of ids: [ObjectID], in journal: any JournalReading, _ model: SyncedModel) throws {
        for (name, ids) in Dictionary(grouping: ids, by: \.entityName).sorted(by: { $0.key < $1.key }) {
            let found = try model.entity(named: name).map { try journal.rows(of: $0.entity, keys: ids.map(\.key)).keys }
            let known = Set(found ?? [])
            if let missing = ids.first(where: { !known.contains($0.key) }) {
                throw BackstitchError(
                    .objectNotFound, "\(missing) is not in the synced store, so it cannot move to another zone",
                    objectID: missing)
            }
        }
        var next = ids.filter { keys.insert($0.key).inserted }
        while !next.isEmpty {
            members += next
            next = try journal.children(of: next.map(\.key), model).filter { keys.insert($0.key).inserted }
        }
    }

    /// The links that would lead from one zone to another after the move. One end is a member. The other end is not in
    /// the target zone, or is about to leave it.
    func links(
        leavingZone zone: Int64, in journal: any JournalReading, _ model: SyncedModel
    ) throws -> [ObjectFamilyLink] {
        var links: [ObjectFamilyLink] = []
        for (name, ids) in Dictionary(grouping: members, by: \.entityName).sorted(by: { $0.key < $1.key }) {
            guard let entity = model.entity(named: name)?.entity else { continue }
            for part in ids.parts(of: 1_000) {
                try links += Self.outgoing(of: part.map(\.key), entity, in: journal, model)
            }
            for id in ids where Self.isLedTo(entity) {
                let inbound = try InboundLinks(to: id, entity, in: journal, model)
                links += inbound.columns.map { .init(source: $0.owner, property: $0.property.name, target: id) }
                links += inbound.links.map { .init(source: $0.owner, property: $0.property.name, target: id) }
            }
        }
        let outside = links.map { keys.contains($0.source.key) ? $0.target : $0.source }
        let zones = try journal.zones(of: outside.map(\.key))
        var present: Set<ObjectKey> = []
        for (name, ids) in Dictionary(grouping: outside, by: \.entityName) {
            guard let entity = model.entity(named: name)?.entity else { continue }
            present.formUnion(try journal.rows(of: entity, keys: Array(Set(ids.map(\.key)))).keys)
        }
        let moves = try MoveNotes(journal, of: Set(outside.map(\.key)))
        return zip(links, outside).filter { link, other in
            guard !(keys.contains(link.source.key) && keys.contains(link.target.key)), present.contains(other.key)
            else { return false }
            return zones[other.key] ?? 0 != zone
                || moves.isToLeave(ZonedKey(zone: zone, key: other.key))
        }.map(\.0)
    }

    private static func outgoing(
        of keys: [ObjectKey], _ entity: ResolvedEntity, in journal: any JournalReading, _ model: SyncedModel
    ) throws -> [ObjectFamilyLink] {
        var links: [ObjectFamilyLink] = []
        let rows = try journal.rows(of: entity, keys: keys)
        for column in entity.columns where column.relationship != nil {
            for row in 0..<rows.count where !rows.isNull(row, column.slot) {
                links.append(
                    .init(
                        source: rows.objectID(at: row), property: column.name,
                        target: ObjectID(entityName: column.destinationName, key: rows.key(row, column.slot))))
            }
        }
        for property in entity.ownedLinks {
            for (source, targets) in try journal.links(of: property, in: entity, sources: keys) {
                links += targets.map {
                    .init(
                        source: ObjectID(entityName: entity.name, key: source), property: property.name,
                        target: ObjectID(entityName: property.destinationName, key: $0))
                }
            }
        }
        return links
    }

    /// Whether columns or link lists of other objects may lead to an entity's objects.
    private static func isLedTo(_ entity: ResolvedEntity) -> Bool {
        entity.relationships.contains { property in
            switch property.relationship?.storage {
            case .inverseColumn, .inverseLinks: true
            case .column, .ownedLinks, nil: false
            }
        }
    }
}

extension JournalReading {
    /// The children of these objects, by the parent relationships of all entities.
    func children(of parents: [ObjectKey], _ model: SyncedModel) throws -> [ObjectID] {
        var children: [ObjectID] = []
        for entity in model.heldEntities.map(\.entity) {
            guard let column = entity.parentColumn else { continue }
            for part in parents.parts(of: 500) {
                let objects = part.map { Value.object(ObjectID(entityName: column.destinationName, key: $0)) }
                let predicate = FetchPredicate.comparison(
                    FetchComparison(.keyPath(FetchKeyPath(names: [column.name])), .in, .values(objects)))
                let request = StoreFetchRequest(
                    entity: entity, predicate: try predicate.resolved(for: entity, in: model.model))
                let rows = try fetch(request)
                children += (0..<rows.count).map { rows.objectID(at: $0) }
            }
        }
        // The objects of a subentity are also fetched with the entity above it.
        var seen: Set<ObjectKey> = []
        return children.filter { seen.insert($0.key).inserted }
    }
}
