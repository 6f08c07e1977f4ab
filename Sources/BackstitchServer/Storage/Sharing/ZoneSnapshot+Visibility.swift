import BackstitchSQL
import BackstitchSupport
import CloudWire

/// The log of records visible to the participants of shares; see ``SharingSchema/recordShares(_:)``.
extension ZoneSnapshot {
    /// The entries of all shares for some records, including records that are no longer visible.
    func visibility(_ zone: StoredZone, of names: [String]) throws -> [StoredVisibility] {
        guard !names.isEmpty else { return [] }
        let isMeant: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND name = wanted"
        return try all(
            """
            SELECT share, name, sequence, history, gone, changed
            FROM \(texts: try list(names))\(lookUp: "visibility", by: "visibility_name", where: isMeant)
            """, Self.visibility)
    }

    static func visibility(_ row: any SQLRow) -> StoredVisibility {
        StoredVisibility(
            share: row.int(0), name: row.text(1), sequence: row.int(2), history: row.int(3), isGone: row.int(4) != 0,
            changed: row.int(5))
    }

    /// The columns for ``place(_:)``. The flags are needed because each asset adds an address to an answer; see
    /// `StoredRecord.weight`.
    private static let placeColumns = "name, parent, flags, length(fields)"

    /// Reads a record's name, parent, flags and weight.
    private static func place(_ row: any SQLRow) -> RecordPlace {
        let flags = StoredRecord.Flags(rawValue: row.int(2)), name = row.text(0)
        return RecordPlace(
            name: name, parent: row.optionalText(1), flags: flags,
            weight: StoredRecord.weight(name, bytes: Int(row.int(3)), flags))
    }

    /// The places of the live records among these.
    func places(_ zone: StoredZone, of names: [String]) throws -> [RecordPlace] {
        guard !names.isEmpty else { return [] }
        let isMeant: SQLText = """
            tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND name = wanted AND deleted = 0
            """
        return try all(
            "SELECT \(names: Self.placeColumns) FROM \(texts: try list(names))\(lookUp: "record", where: isMeant)",
            Self.place)
    }

    /// The places of at most `limit` live records with these parents.
    func children(_ zone: StoredZone, of parents: [String], limit: Int) throws -> [RecordPlace] {
        guard !parents.isEmpty else { return [] }
        return try all(try childrenText(zone, of: parents, limit: limit), Self.place)
    }

    /// The query for live records below some parents.
    func childrenText(_ zone: StoredZone, of parents: [String], limit: Int) throws -> SQLText {
        let isMeant: SQLText = """
            tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND parent = wanted AND deleted = 0
            """
        return """
            SELECT \(names: Self.placeColumns) FROM \(texts: try list(parents))\(lookUp: "record", where: isMeant)
            LIMIT \(limit)
            """
    }

    /// The numbers of the shares with these roots.
    func shareNumbers(_ zone: StoredZone, ofRoots roots: [String]) throws -> [(root: String, number: Int64)] {
        guard !roots.isEmpty else { return [] }
        return try all(
            """
            SELECT root, number FROM share WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
                AND root IN (SELECT wanted FROM \(texts: try list(roots)))
            """
        ) { ($0.text(0), $0.int(1)) }
    }

    /// The condition for the rows of shares with these numbers.
    func haveNumbers(_ numbers: Set<Int64>) throws -> SQLText {
        "(share.number || '') IN (SELECT wanted FROM \(texts: try list(numbers.map { "\($0)" })))"
    }

    /// The users who take part in some shares, without their owner.
    func guests(of zone: StoredZone, inShares numbers: Set<Int64>) throws -> [String] {
        guard !numbers.isEmpty else { return [] }
        let inZone: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)"
        let takesPart: SQLText = """
            \(inZone) AND share = shown.record AND status = \(WireParticipant.Status.accepted.rawValue)
                AND kind <> \(WireParticipant.Kind.owner.rawValue)
            """
        return try all(
            """
            SELECT DISTINCT "user" FROM (
                SELECT record FROM share WHERE \(inZone) AND \(try haveNumbers(numbers))
            ) AS shown\(lookUp: "participant", where: takesPart)
            """
        ) { $0.text(0) }
    }

    /// The users among these who take part in other shares of the zone, and whether they may read any of those.
    func guests(
        of zone: StoredZone, among users: [String], besides share: StoredShare
    ) throws -> [(user: String, mayRead: Bool)] {
        guard !users.isEmpty else { return [] }
        let isOther: SQLText = """
            tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND "user" = wanted AND share <> \(share.record)
                AND status = \(WireParticipant.Status.accepted.rawValue)
            """
        let rows = try all(
            """
            SELECT participant."user", participant.kind, participant.permission, share.permission
            FROM (
                SELECT participant.*
                FROM \(texts: try list(users))\(lookUp: "participant", by: "participant_user", where: isOther)
            ) AS participant
            JOIN share ON share.tenant_id = participant.tenant_id AND share.zone_id = participant.zone_id
                AND share.record = participant.share
            """
        ) { row in
            (
                user: row.text(0),
                mayRead: StoredShare.permission(
                    of: WireParticipant.Kind(rawValue: row.text(1)) ?? .unknown,
                    own: SharePermission(rawValue: row.text(2)) ?? .none,
                    everybody: SharePermission(rawValue: row.text(3)) ?? .none
                ).allowsReading
            )
        }
        return Dictionary(grouping: rows) { ByteText($0.user) }.map { name, rows in
            (name.string, rows.contains { $0.mayRead })
        }
    }

    /// The number of entries of a share, and the bytes of their live records. At most `limit` entries are counted.
    func extent(of share: StoredShare, in zone: StoredZone, upTo limit: Int) throws -> (entries: Int, weight: Int) {
        let names = try all(
            """
            SELECT name FROM visibility WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
                AND share = \(share.number) LIMIT \(limit)
            """
        ) { $0.text(0) }
        return (names.count, try places(zone, of: names).reduce(0) { $0 + $1.weight })
    }
}
