import Backstitch

/// Refuses a save that would change an object in a read-only zone.
struct ZoneRights {
    private let zones: ZoneTable.Zones
    private let table: ZoneTable

    init(_ zones: ZoneTable.Zones, _ connection: any SQLConnection) {
        (self.zones, table) = (zones, ZoneTable(connection))
    }

    /// Checks all changes that the save adds to the outbox. New objects already have their zones.
    ///
    /// - Throws: ``BackstitchError/Code/permissionDenied`` with a fault for each object.
    func check(_ request: SaveChangesRequest, _ effects: [LinkEffect]) throws {
        guard !zones.readOnly.isEmpty else { return }
        let inserted = request.inserts.flatMap { rows in rows.keys.indices.map { rows.objectID(at: $0) } }
        var ids = Set(inserted)
        for rows in request.deletes + request.updates.map(\.rows) {
            ids.formUnion(rows.keys.indices.map { rows.objectID(at: $0) })
        }
        for effect in effects {
            ids.formUnion(effect.owners.map { ObjectID(entityName: effect.entity.name, key: $0) })
        }
        let places = zones.names.isEmpty ? [:] : try table.zones(of: ids.map(\.key).sorted())
        let refused = ids.sorted().filter { zones.readOnly.contains(places[$0.key] ?? 0) }
        guard !refused.isEmpty else { return }
        throw BackstitchError.combining(
            refused.map { fault($0, places[$0.key] ?? 0) }, code: .permissionDenied,
            summary: "\(refused.count) objects are in zones that this user may only read:")
    }

    private func fault(_ id: ObjectID, _ zone: Int64) -> BackstitchError {
        if let name = zones.names[zone] {
            return BackstitchError(
                .permissionDenied,
                "\(id) is in the zone \"\(name)\", which this user may only read; ask its owner for the right to "
                    + "change it",
                objectID: id)
        }
        let open = zones.names.filter { !zones.readOnly.contains($0.key) }.values.sorted()
        return BackstitchError(
            .permissionDenied,
            "\(id) is assigned to no zone, and this store has only zones of others; assign it to one with "
                + "assign(_:toZone:)"
                + (open.isEmpty
                    ? ", once there is one that this user may change"
                    : ": \(open.map { "\"\($0)\"" }.joined(separator: ", "))"),
            objectID: id)
    }
}
