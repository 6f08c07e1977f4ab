import BackstitchSQL
import BackstitchSupport
import CloudWire

/// Shares and their participants.
extension ZoneSnapshot {
    /// The shares of a zone whose own records or roots have these names, in the order of their numbers.
    ///
    /// - Parameter rootsOnly: Whether shares found only by their roots come without participants.
    func shares(
        of zone: StoredZone, named records: [String], ofRoots roots: [String], rootsOnly: Bool
    ) throws -> [StoredShare] {
        guard zone.sharing.contains(.shared), !records.isEmpty || !roots.isEmpty else { return [] }
        let inZone: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)"
        var condition: SQLText = "record IN (SELECT wanted FROM \(texts: try list(records)))"
        if !roots.isEmpty {
            condition = "(\(condition) OR root IN (SELECT wanted FROM \(texts: try list(roots))))"
        }
        var shares = try all(
            """
            SELECT record, guid, permission, number, root FROM share WHERE \(inZone) AND \(condition)
            ORDER BY number, record
            """
        ) {
            StoredShare(
                record: $0.text(0), shortGUID: $0.text(1),
                publicPermission: SharePermission(rawValue: $0.text(2)) ?? .none, participants: [],
                root: $0.optionalText(4), number: $0.int(3))
        }
        let named = rootsOnly ? records : shares.map(\.record)
        let whole = Set(named.map { ByteText($0) }).map(\.string)
        guard !shares.isEmpty, !whole.isEmpty else { return shares }
        let ofShare: SQLText = "\(inZone) AND share = wanted"
        let participants = try all(
            """
            SELECT share, id, "user", address, kind, status, permission, names, since, public_key
            FROM \(texts: try list(whole))\(lookUp: "participant", where: ofShare)
            ORDER BY CASE WHEN kind = \(WireParticipant.Kind.owner.rawValue) THEN 0 ELSE 1 END, id
            """
        ) {
            (
                ByteText($0.text(0)),
                StoredParticipant(
                    id: $0.text(1), user: $0.optionalText(2), emailAddress: $0.optionalText(3),
                    kind: WireParticipant.Kind(rawValue: $0.text(4)) ?? .unknown,
                    status: WireParticipant.Status(rawValue: $0.text(5)) ?? .unknown,
                    permission: SharePermission(rawValue: $0.text(6)) ?? .none,
                    names: try UserNameComponents(wireJSON: Array($0.text(7).utf8)), since: $0.int(8),
                    publicKey: $0.optionalText(9))
            )
        }
        let ofShares = Dictionary(grouping: participants, by: \.0)
        for index in shares.indices {
            shares[index].participants = ofShares[ByteText(shares[index].record)]?.map(\.1) ?? []
        }
        return shares
    }

    /// The live zone with the share of this address, its owner's record name, and the name of the share's record.
    func share(tenant: String, shortGUID: String) throws -> (zone: StoredZone, owner: String, record: String)? {
        let zoneColumns = Self.columns(of: "zone")
        return try one(
            """
            SELECT \(names: zoneColumns), owner.name, share.record FROM tenant
            JOIN share ON share.tenant_id = tenant.tenant_id AND share.guid = \(shortGUID)
            JOIN zone ON zone.tenant_id = share.tenant_id AND zone.zone_id = share.zone_id AND zone.state = 0
            JOIN owner ON owner.tenant_id = zone.tenant_id AND owner.owner_id = zone.owner_id
            WHERE tenant.name = \(tenant)
            """
        ) { (Self.zone($0), $0.text(Self.zoneColumnCount), $0.text(Self.zoneColumnCount + 1)) }
    }

    /// The number of shares in a zone.
    func shareCount(_ zone: StoredZone) throws -> Int {
        try one(
            "SELECT count(*) FROM share WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)"
        ) { Int($0.int(0)) } ?? 0
    }

    /// The record names of the zone's shares that a user has accepted.
    func sharesAccepted(_ zone: StoredZone, by user: String) throws -> [String] {
        try all(
            """
            SELECT share FROM participant\(by: "participant_user")
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
                AND "user" = \(user) AND status = \(WireParticipant.Status.accepted.rawValue)
                AND kind <> \(WireParticipant.Kind.owner.rawValue)
            """
        ) { ByteText($0.text(0)) }
        // Sorted here: for an order of the key, a database without statistics would read all participants of the zone.
        .sorted().map(\.string)
    }

    /// The shares of a zone whose own records or roots have these names, in the order of their numbers.
    func shares(of zone: StoredZone, named records: [String], ofRoots roots: [String]) throws -> [StoredShare] {
        try shares(of: zone, named: records, ofRoots: roots, rootsOnly: false)
    }

    /// The share with this record name; nil if there is none.
    func share(of zone: StoredZone, named record: String) throws -> StoredShare? {
        try shares(of: zone, named: [record], ofRoots: []).first
    }
}
