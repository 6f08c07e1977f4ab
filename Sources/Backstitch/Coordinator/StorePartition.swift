import Foundation

/// A save, split into one request for each store of its objects.
struct StorePartition {
    /// The requests to the stores, each with the store's position among the members, in their order.
    private(set) var parts: [(member: Int, request: SaveChangesRequest)] = []

    private let union: UnionStore
    private let request: SaveChangesRequest
    /// The stores of the request's objects and of the objects they lead to, by position.
    private var places: [ObjectKey: Int] = [:]
    private var faults: [BackstitchError] = []

    /// - Throws: ``BackstitchError/Code/crossStoreRelationship`` with a fault for each link from one store to another;
    ///   ``BackstitchError/Code/invalidRequest`` when no store holds an entity; nothing is written then.
    init(_ union: UnionStore, _ request: SaveChangesRequest) throws {
        self.union = union
        self.request = request
        try placeObjects()
        try checkLinks()
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .crossStoreRelationship, summary: "\(faults.count) links lead from one store to another:")
        }
        for index in union.members.indices {
            let part = part(of: index)
            if !part.isEmpty { parts.append((index, part)) }
        }
    }

    private mutating func placeObjects() throws {
        var children = Children()
        for rows in request.inserts {
            for (row, key) in rows.keys.enumerated() {
                if request.assignments[key] == nil, let parent = rows.parent(row) {
                    children.add(key, rows.entity, below: parent)
                } else {
                    places[key] = try place(ofNew: key, rows.entity)
                }
            }
        }
        try place(children)
        for rows in request.updates.map(\.rows) + request.deletes { try look(Array(rows.keys), rows.entity) }
        for change in request.links {
            try look((change.added + change.removed).map(\.source), change.entity)
        }
    }

    /// New objects without an assigned store. Their parents decide their stores (``EntityDescription/parent(_:)``).
    private struct Children {
        var entities: [ObjectKey: ResolvedEntity] = [:]
        var parents: [ObjectKey: ObjectKey] = [:]
        var parentEntities: [String: Set<ObjectKey>] = [:]

        mutating func add(_ key: ObjectKey, _ entity: ResolvedEntity, below parent: ObjectID) {
            entities[key] = entity
            parents[key] = parent.key
            parentEntities[parent.entityName, default: []].insert(parent.key)
        }
    }

    /// Puts each object into the store of its nearest ancestor that is stored, or assigned to a store. If there is
    /// none, or its store does not hold the entity, the object is placed like one without a parent.
    private mutating func place(_ children: Children) throws {
        var above = places
        for (name, parents) in children.parentEntities.sorted(by: { $0.key < $1.key }) {
            guard let entity = union.model.entity(named: name) else { continue }
            above.merge(try union.places(of: parents.filter { above[$0] == nil }.sorted(), entity)) { $1 }
        }
        for (key, entity) in children.entities {
            var next = key
            var seen: Set<ObjectKey> = []
            while above[next] == nil, seen.insert(next).inserted, let parent = children.parents[next] { next = parent }
            let found = above[next].flatMap { union.members[$0].holds(entity) ? $0 : nil }
            places[key] = try found ?? place(ofNew: key, entity)
        }
    }

    private func place(ofNew key: ObjectKey, _ entity: ResolvedEntity) throws -> Int {
        let member = try union.member(ofNew: entity, assigned: request.assignments[key])
        return union.members.firstIndex { $0.store === member.store } ?? 0
    }

    private mutating func look(_ keys: [ObjectKey], _ entity: ResolvedEntity) throws {
        let unknown = keys.filter { places[$0] == nil }
        guard !unknown.isEmpty else { return }
        let found = try union.places(of: unknown, entity)
        // An object that is in no store is gone. The first store that holds its entity reports this.
        let first = union.members.firstIndex { $0.holds(entity) } ?? 0
        for key in unknown { places[key] = found[key] ?? first }
    }

    private mutating func checkLinks() throws {
        for rows in request.inserts { try check(rows) { _ in PropertySet(0..<rows.entity.columnCount) } }
        for update in request.updates { try check(update.rows) { update.changed[$0] } }
        for change in request.links {
            guard let relationship = change.property.relationship else { continue }
            let destination = union.model.destination(of: relationship)
            try check(change.added.map { ($0.source, $0.target) }, change.entity, change.property, destination)
        }
    }

    private mutating func check(_ rows: RowBatch, changed: (Int) -> PropertySet) throws {
        for column in rows.entity.columns {
            guard let relationship = column.relationship else { continue }
            let links = (0..<rows.count).compactMap { row -> (ObjectKey, ObjectKey)? in
                guard changed(row).contains(column.slot), case .object(let id) = rows.value(row, column.slot) else {
                    return nil
                }
                return (rows.keys[row], id.key)
            }
            try check(links, rows.entity, column, union.model.destination(of: relationship))
        }
    }

    private mutating func check(
        _ links: [(source: ObjectKey, target: ObjectKey)], _ entity: ResolvedEntity, _ property: ResolvedProperty,
        _ destination: ResolvedEntity
    ) throws {
        let unknown = links.map(\.target).filter { places[$0] == nil }
        let found = unknown.isEmpty ? [:] : try union.places(of: unknown, destination)
        for link in links {
            // A target that is in no store may still arrive.
            guard let source = places[link.source], let target = places[link.target] ?? found[link.target],
                source != target
            else { continue }
            let id = ObjectID(entityName: entity.name, key: link.source)
            faults.append(
                BackstitchError(
                    .crossStoreRelationship,
                    "\(id) is in the store \(union.members[source].name), and leads by \(property.name) to "
                        + "\(destination.name)/\(link.target.uuidString) in \(union.members[target].name); objects of two stores "
                        + "cannot be related, so assign both to one",
                    objectID: id, key: property.name))
        }
    }

    private func part(of index: Int) -> SaveChangesRequest {
        var part = SaveChangesRequest(author: request.author, contextName: request.contextName)
        part.inserts = request.inserts.compactMap { rows in
            select(rows, index).map { rows.rows(at: $0) }
        }
        part.deletes = request.deletes.compactMap { rows in
            select(rows, index).map { rows.rows(at: $0) }
        }
        part.updates = request.updates.compactMap { update in
            select(update.rows, index).map { positions in
                RowUpdate(
                    rows: update.rows.rows(at: positions), originals: update.originals.rows(at: positions),
                    changed: positions.map { update.changed[$0] })
            }
        }
        part.links = request.links.compactMap { change in
            let added = change.added.filter { places[$0.source] == index }
            let removed = change.removed.filter { places[$0.source] == index }
            if added.isEmpty, removed.isEmpty { return nil }
            return LinkChange(entity: change.entity, property: change.property, added: added, removed: removed)
        }
        part.zones = request.zones.filter { places[$0.key] == index }
        part.givesKeys = request.givesKeys
        if !request.assets.isEmpty {
            for reference in part.assetReferences { part.assets[reference] = request.assets[reference] }
        }
        return part
    }

    /// Returns the positions of the rows that are in a store; nil if there are none.
    private func select(_ rows: RowBatch, _ index: Int) -> [Int]? {
        let positions = rows.keys.indices.filter { places[rows.keys[$0]] == index }
        return positions.isEmpty ? nil : Array(positions)
    }
}

extension RowBatch {
    /// The parent object of a row, if its entity names a parent and the row has one.
    fileprivate func parent(_ row: Int) -> ObjectID? {
        guard let column = entity.parentColumn, !isNull(row, column.slot) else { return nil }
        return ObjectID(entityName: column.destinationName, key: key(row, column.slot))
    }

    /// Returns the rows at these positions.
    fileprivate func rows(at positions: [Int]) -> RowBatch {
        if positions.count == count { return self }
        var builder = RowBatchBuilder(entity: entity, capacity: positions.count)
        for row in positions { builder.appendRow(row, of: self) }
        return builder.finish()
    }
}
