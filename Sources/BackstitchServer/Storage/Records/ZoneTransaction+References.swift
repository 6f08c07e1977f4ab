import BackstitchSQL
import CloudWire

/// The references with an action.
extension ZoneSnapshot {
    /// At most `limit` references with an action that point to one of the records.
    ///
    /// - Parameter demands: The references with VALIDATE to include.
    func references(
        _ zone: StoredZone, to targets: [String], demands: ReferenceDemands, limit: Int
    ) throws -> [StoredReference] {
        let binds: SQLText =
            demands == .all
            ? ""
            : """
            AND (action <> \(WireReference.Action.validate.rawValue)
                OR (\(maker(of: "source", in: zone))) = (\(maker(of: "wanted", in: zone))))
            """
        let isMeant: SQLText =
            "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND target = wanted \(binds)"
        return try all(
            """
            SELECT source, target, action FROM \(texts: try list(targets))\(lookUp: "reference", where: isMeant)
            LIMIT \(limit)
            """
        ) { StoredReference(source: $0.text(0), target: $0.text(1), action: .init(rawValue: $0.text(2)) ?? .none) }
    }

    /// The number of references with DELETE_SELF to each of the records, counted up to `limit`.
    func sourceCounts(_ zone: StoredZone, of targets: [String], upTo limit: Int) throws -> [(
        target: String, count: Int
    )] {
        try all(
            """
            SELECT wanted, (SELECT count(*) FROM (
                SELECT 1 FROM reference WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
                    AND target = wanted AND action = \(WireReference.Action.deleteSelf.rawValue) LIMIT \(limit)) AS few)
            FROM \(texts: try list(targets))
            """
        ) { ($0.text(0), Int($0.int(1))) }
    }

    /// The same for references from records of one user, among the first `limit` references to each record.
    func sourceCounts(
        _ zone: StoredZone, of targets: [String], madeBy user: String, upTo limit: Int
    ) throws -> [(target: String, count: Int)] {
        try all(
            """
            SELECT wanted, (SELECT count(*) FROM (
                SELECT source FROM reference WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
                    AND target = wanted AND action = \(WireReference.Action.deleteSelf.rawValue) LIMIT \(limit)) AS few
                WHERE (\(maker(of: "few.source", in: zone))) = \(user))
            FROM \(texts: try list(targets))
            """
        ) { ($0.text(0), Int($0.int(1))) }
    }

    /// A query for the maker of a record. It is one look-up.
    ///
    /// - Parameter name: The column with the record's name.
    private func maker(of name: String, in zone: StoredZone) -> SQLText {
        """
        SELECT created_by FROM record WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
            AND name = \(names: name)
        """
    }
}

/// The writes of references.
extension ZoneTransaction {
    /// Replaces the references with an action that start at some records.
    func setReferences(_ zone: StoredZone, from sources: [String], _ references: [StoredReference]) throws {
        let inZone: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)"
        try remove("source", sources, from: "reference", where: inZone)
        guard !references.isEmpty else { return }
        let statement = SQLBulkBuilder(dialect, [.integer, .integer, .text, .text, .text]).insert(
            into: "reference", ["tenant_id", "zone_id", "target", "source", "action"], " ON CONFLICT DO NOTHING")
        try runEach(statement, count: references.count) { index, parameters in
            parameters.bind(zone.tenantID, at: 1)
            parameters.bind(zone.zoneID, at: 2)
            parameters.bind(references[index].target, at: 3)
            parameters.bind(references[index].source, at: 4)
            parameters.bind(references[index].action.rawValue, at: 5)
        }
    }
}
