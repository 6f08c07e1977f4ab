import Backstitch

/// Puts the new objects of a save into zones, and refuses links from one zone to another.
///
/// A new object is put into the zone of its assignment. Without one, it is put into the zone of its parent. Without a
/// parent, it returns to its former zone if it had one. Otherwise it is put into the main zone.
struct ZonePlacement {
    private let request: SaveChangesRequest
    private let model: ResolvedModel
    private let table: ZoneTable
    private let names: [Int64: String]
    /// The parents of new objects without an assigned zone.
    private var parents: [ObjectKey: ObjectKey] = [:]
    /// The zones of all objects that the save links or inserts.
    private var places: [ObjectKey: Int64] = [:]
    private var links: [Link] = []

    /// A link that the save makes.
    private struct Link {
        let source: ObjectID
        let property: ResolvedProperty
        let target: ObjectID
    }

    /// Places the new objects of a save.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when an object is assigned to a zone that the store does not
    ///   have; ``BackstitchError/Code/crossZoneRelationship`` with a fault for each link from one zone to another.
    static func write(
        _ request: SaveChangesRequest, among zones: ZoneTable.Zones, on connection: any SQLConnection,
        statements: ModelStatements
    ) throws {
        guard !zones.names.isEmpty || !request.zones.isEmpty else { return }
        var placement = ZonePlacement(
            request: request, model: statements.model, table: ZoneTable(connection), names: zones.names)
        try placement.assign()
        placement.findLinks()
        try placement.place()
        try placement.check(RowReader(connection, statements: statements))
    }

    private init(request: SaveChangesRequest, model: ResolvedModel, table: ZoneTable, names: [Int64: String]) {
        (self.request, self.model, self.table, self.names) = (request, model, table, names)
    }

    /// Reads the assigned zones, and the parents of objects without one.
    private mutating func assign() throws {
        let numbers = Dictionary(names.map { ($0.value, $0.key) }, uniquingKeysWith: min)
        for rows in request.inserts {
            for (row, key) in rows.keys.enumerated() {
                if let name = request.zones[key] {
                    guard let number = name.isEmpty ? 0 : numbers[name] else {
                        throw unknown(name, rows.objectID(at: row))
                    }
                    places[key] = number
                } else if let parent = rows.entity.parentColumn, !rows.isNull(row, parent.slot) {
                    parents[key] = rows.key(row, parent.slot)
                }
            }
        }
    }

    private func unknown(_ name: String, _ id: ObjectID) -> BackstitchError {
        let known = names.isEmpty ? "" : "; it has \(names.values.sorted().map { "\"\($0)\"" }.joined(separator: ", "))"
        return BackstitchError(
            .invalidRequest,
            "\(id) is assigned to the zone \"\(name)\", which the store does not have\(known): make it with "
                + "sync.zones.create(named:) first", objectID: id)
    }

    /// Collects all links that the save makes: in columns and in link tables.
    private mutating func findLinks() {
        for rows in request.inserts { findLinks(rows) { _ in nil } }
        for update in request.updates { findLinks(update.rows) { update.changed[$0] } }
        for change in request.links {
            for link in change.added { add(change.entity, link.source, change.property, link.target) }
        }
    }

    private mutating func findLinks(_ rows: RowBatch, changed: (Int) -> PropertySet?) {
        for column in rows.entity.columns where column.relationship != nil {
            for row in 0..<rows.count
            where !rows.isNull(row, column.slot) && changed(row)?.contains(column.slot) ?? true {
                add(rows.entity, rows.keys[row], column, rows.key(row, column.slot))
            }
        }
    }

    private mutating func add(
        _ entity: ResolvedEntity, _ source: ObjectKey, _ property: ResolvedProperty, _ target: ObjectKey
    ) {
        links.append(
            Link(
                source: ObjectID(entityName: entity.name, key: source), property: property,
                target: ObjectID(entityName: property.destinationName, key: target)))
    }

    /// Finds the zones of all objects that the save names, and writes those of new objects.
    private mutating func place() throws {
        let inserted = request.inserts.flatMap(\.keys)
        var asked = Set(inserted).union(parents.values)
        for link in links { asked.formUnion([link.source.key, link.target.key]) }
        let before = names.isEmpty ? [:] : try table.zones(of: asked.sorted())
        for key in inserted where places[key] == nil && parents[key] == nil { places[key] = before[key] ?? 0 }
        for key in inserted { places[key] = zone(of: key, before) }
        for (zone, keys) in Dictionary(grouping: inserted, by: { places[$0] ?? 0 }).sorted(by: { $0.key < $1.key }) {
            let moved = keys.filter { before[$0] ?? 0 != zone }
            if !moved.isEmpty { try table.set(zone, of: moved) }
        }
        for key in asked where places[key] == nil { places[key] = before[key] ?? 0 }
    }

    /// The zone of an object: that of the first object above it with a known zone. Parents in a circle are in the main
    /// zone.
    private func zone(of key: ObjectKey, _ before: [ObjectKey: Int64]) -> Int64 {
        var next = key
        var seen: Set<ObjectKey> = []
        while seen.insert(next).inserted {
            if let place = places[next] { return place }
            guard let parent = parents[next] else { return before[next] ?? 0 }
            next = parent
        }
        return 0
    }

    /// Throws if a link leads to an existing object in another zone.
    private func check(_ reader: RowReader) throws {
        let crossing = links.filter { places[$0.source.key] != places[$0.target.key] }
        guard !crossing.isEmpty else { return }
        // A missing target may still be created, in any zone.
        var present: Set<ObjectKey> = []
        for (name, links) in Dictionary(grouping: crossing, by: \.target.entityName).sorted(by: { $0.key < $1.key }) {
            guard let entity = model.entity(named: name) else { continue }
            present.formUnion(try reader.rows(of: entity, keys: Set(links.map(\.target.key)).sorted()).keys)
        }
        let faults = crossing.filter { present.contains($0.target.key) }.map { link in
            BackstitchError(
                .crossZoneRelationship,
                "\(link.source) is in \(name(of: link.source)), and leads by \(link.property.name) to "
                    + "\(link.target) in \(name(of: link.target)); objects of two zones cannot be related, so assign both to one",
                objectID: link.source, key: link.property.name)
        }
        guard !faults.isEmpty else { return }
        throw BackstitchError.combining(
            faults, code: .crossZoneRelationship, summary: "\(faults.count) links lead from one zone to another:")
    }

    private func name(of id: ObjectID) -> String {
        places[id.key].flatMap { names[$0] }.map { "the zone \"\($0)\"" } ?? "the main zone"
    }
}
