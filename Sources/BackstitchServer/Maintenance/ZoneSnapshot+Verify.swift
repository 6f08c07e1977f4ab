import BackstitchSQL
import CloudWire

/// Compares the rows of a storage with each other. Each check is one statement.
extension ZoneSnapshot {
    /// Checks the sequences of records and zones against the heads.
    func verifyFeeds(_ report: inout StorageReport) throws {
        try find(
            .sequenceBeyondHead, &report,
            """
            SELECT \(names: Self.zonePlace) || ' ' || record.name FROM record JOIN zone USING (tenant_id, zone_id)
                \(names: Self.placeOfZone)
            WHERE record.sequence > zone.head OR record.sequence < 1
            """)
        try find(
            .sequenceBeyondHead, &report,
            """
            SELECT \(names: Self.zonePlace) || ': floor' FROM zone \(names: Self.placeOfZone)
            WHERE zone.floor > zone.head
            """)
        try find(
            .recordWithoutZone, &report,
            """
            SELECT 'tenant ' || record.tenant_id || ' zone ' || record.zone_id || ' ' || record.name FROM record
            WHERE NOT EXISTS (SELECT 1 FROM zone AS z WHERE z.tenant_id = record.tenant_id
                AND z.zone_id = record.zone_id)
            """)
        try find(
            .zoneBeyondDatabase, &report,
            """
            SELECT \(names: Self.zonePlace) FROM zone \(names: Self.placeOfZone)
            WHERE zone.owner_sequence > owner.head
            """)
    }

    /// Checks the lists of references, of assets in use and of queries: their records must exist.
    func verifyReferences(_ report: inout StorageReport) throws {
        try find(
            .missingTarget, &report,
            """
            SELECT \(names: Self.zonePlace) || ' ' || reference.source || ' -> ' || reference.target
            FROM reference JOIN zone USING (tenant_id, zone_id) \(names: Self.placeOfZone)
            WHERE reference.action = \(WireReference.Action.validate.rawValue) AND zone.state = 0
                AND NOT \(names: Self.isThere("reference.target", "reference"))
            """)
        try find(
            .referenceWithoutRecord, &report,
            """
            SELECT \(names: Self.zonePlace) || ' ' || reference.source || ' -> ' || reference.target
            FROM reference JOIN zone USING (tenant_id, zone_id) \(names: Self.placeOfZone)
            WHERE zone.state = 0 AND NOT \(names: Self.isThere("reference.source", "reference"))
            """)
        try find(
            .assetUseWithoutRecord, &report,
            """
            SELECT \(names: Self.zonePlace) || ' ' || asset_use.record || '.' || asset_use.field
            FROM asset_use JOIN zone USING (tenant_id, zone_id) \(names: Self.placeOfZone)
            WHERE zone.state = 0 AND NOT \(names: Self.isThere("asset_use.record", "asset_use"))
            """)
        try find(
            .queryEntryWithoutRecord, &report,
            """
            SELECT \(names: Self.zonePlace) || ' ' || query_entry.record
            FROM query_entry JOIN zone USING (tenant_id, zone_id) \(names: Self.placeOfZone)
            WHERE zone.state = 0 AND NOT \(names: Self.isThere("query_entry.record", "query_entry"))
                AND NOT EXISTS (
                    SELECT 1 FROM query_index
                    WHERE query_index.tenant_id = query_entry.tenant_id AND query_index.zone_id = query_entry.zone_id
                        AND query_index.number = query_entry.number
                        AND query_index.state = \(StoredQueryIndex.State.dropped.rawValue))
            """)
        report.danglingReferences =
            try one(
                """
                SELECT count(*) FROM reference JOIN zone USING (tenant_id, zone_id)
                WHERE reference.action = \(WireReference.Action.deleteSelf.rawValue) AND zone.state = 0
                    AND NOT \(names: Self.isThere("reference.target", "reference"))
                """
            ) { Int($0.int(0)) } ?? 0
    }

    /// Compares the database's sums for each user with a new count of the rows.
    func verifyUsage(_ report: inout StorageReport) throws {
        try find(
            .wrongUsage, &report,
            """
            SELECT tenant.name || ' ' || t."user" || ': ' || sum(t.records) || ' records, ' || sum(t.bytes)
                || ' bytes, ' || sum(t.answers) || ' answers, ' || sum(t.answer_bytes)
                || ' bytes of answers more are there than are counted'
            FROM (
                \(names: UsageSchema.countedRows)
                UNION ALL SELECT tenant_id, "user", -records, -bytes, -answers, -answer_bytes FROM usage
            ) AS t JOIN tenant ON tenant.tenant_id = t.tenant_id
            GROUP BY tenant.name, t."user"
            HAVING sum(t.records) <> 0 OR sum(t.bytes) <> 0 OR sum(t.answers) <> 0 OR sum(t.answer_bytes) <> 0
            """)
    }

    /// Adds a fault for each row of a query. Its only column is the place of the fault.
    private func find(_ kind: StorageReport.Fault.Kind, _ report: inout StorageReport, _ query: SQLText) throws {
        try forEachRow(of: query, inPortionsOf: StorageReport.limit) { row in
            report.add(kind, row.text(0))
            return true
        }
    }

    /// SQL for the name of a zone, with its container and database.
    private static let zonePlace = "tenant.name || ' ' || owner.name || '/' || zone.name"
    private static let placeOfZone = """
        JOIN owner ON owner.tenant_id = zone.tenant_id AND owner.owner_id = zone.owner_id
        JOIN tenant ON tenant.tenant_id = zone.tenant_id
        """

    private static func isThere(_ name: String, _ table: String) -> String {
        """
        EXISTS (SELECT 1 FROM record AS r WHERE r.tenant_id = \(table).tenant_id AND r.zone_id = \(table).zone_id
            AND r.name = \(name) AND r.deleted = 0)
        """
    }
}
