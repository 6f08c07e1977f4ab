import BackstitchSQL

extension StorageMaintenance {
    /// Counts the contents of the storage. It reads the sizes of all records, and looks for each content in use. So it
    /// takes time in proportion to them.
    ///
    /// - Parameter users: Most users named for a container, those with the most bytes first. It also limits the missing
    ///   contents named.
    /// - Throws: ``ZoneServerError`` if there is no storage, or it cannot be read.
    public func status(users: Int = 20) async throws -> StorageStatus {
        try await reading { storage in
            var status = try storage.database.readOnce { connection in
                try ZoneSnapshot(connection).status(
                    of: storage.name, users: users,
                    steps: ZoneSchema(connection.dialect, notes: storage.notes).taken(connection).sorted())
            }
            if let folder = storage.assets {
                try Self.countMissing(in: folder, of: storage, named: users, &status)
            }
            return status
        }
    }

    private static func countMissing(
        in folder: AssetFolder, of storage: MaintainedStorage, named limit: Int, _ status: inout StorageStatus
    ) throws {
        for place in status.containers.indices { status.containers[place].missingAssets = 0 }
        let places = Dictionary(status.containers.enumerated().map { ($1.name, $0) }) { first, _ in first }
        for asset in try usedAssets(storage) where try isMissing(asset, from: folder, storage) {
            guard let place = places[asset.tenant] else { continue }
            status.containers[place].missingAssets? += 1
            if status.containers[place].missing.count < limit {
                status.containers[place].missing.append(asset.name.path)
            }
        }
    }
}

extension ZoneSnapshot {
    /// The figures of this snapshot.
    fileprivate func status(of name: String, users: Int, steps: [String]) throws -> StorageStatus {
        let life = try life()
        let tenants = try all("SELECT tenant_id, name FROM tenant ORDER BY name") { ($0.int(0), $0.text(1)) }
        return StorageStatus(
            storage: name, schemaSteps: steps, history: life?.history ?? 0, commits: life?.commits ?? 0,
            containers: try tenants.map { try container($0, named: $1, users: users) })
    }

    private func container(_ tenant: Int64, named name: String, users: Int) throws -> StorageStatus.Container {
        let records = try numbers(
            """
            SELECT count(*) FILTER (WHERE deleted = 0), count(*) FILTER (WHERE deleted = 1),
                CAST(coalesce(sum(length(fields)), 0) AS bigint), coalesce(max(modified), -1)
            FROM record JOIN zone USING (tenant_id, zone_id)
            WHERE tenant_id = \(tenant) AND zone.state = \(StoredZone.State.live.rawValue)
            """, 4)
        let assets = try numbers(
            """
            SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint), count(*) FILTER (WHERE NOT EXISTS (
                SELECT 1 FROM asset_use AS u WHERE u.tenant_id = asset.tenant_id AND u.checksum = asset.checksum))
            FROM asset WHERE tenant_id = \(tenant)
            """, 3)
        let named = try all(
            """
            SELECT "user", records, bytes, answers FROM usage WHERE tenant_id = \(tenant)
            ORDER BY bytes DESC, "user" LIMIT \(users)
            """
        ) { row in
            StorageStatus.User(
                name: row.text(0), records: Int(row.int(1)), bytes: Int(row.int(2)), answers: Int(row.int(3)))
        }
        func count(_ table: String, _ condition: SQLText = "") throws -> Int {
            try numbers("SELECT count(*) FROM \(names: table) WHERE tenant_id = \(tenant)\(condition)", 1)[0]
        }
        return StorageStatus.Container(
            name: name, databases: try count("owner"),
            zones: try count("zone", " AND state = \(StoredZone.State.live.rawValue)"), records: records[0],
            deletions: records[1], bytes: records[2], assets: assets[0], assetBytes: assets[1], unusedAssets: assets[2],
            missingAssets: nil, missing: [], answers: try count("answer"),
            lastActivity: records[3] < 0 ? nil : Int64(records[3]),
            userCount: try count("usage"), users: named)
    }

    /// The numbers in the only row of a query.
    private func numbers(_ text: SQLText, _ count: Int) throws -> [Int] {
        try one(text) { row in (0..<count).map { Int(row.int($0)) } } ?? Array(repeating: 0, count: count)
    }
}
