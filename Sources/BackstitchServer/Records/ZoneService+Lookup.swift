import CloudWire

extension ZoneService {
    /// `records/lookup`.
    func lookup(_ request: RecordsLookupRequest, _ scope: RequestScope) async throws -> [UInt8] {
        try scope.checkCount(request.records.count, of: "records")
        let names = request.records.map(\.recordName)
        let zoneName: String
        let found: (zone: StoredZone, records: [StoredRecord?])?
        do throws(WireError) {
            zoneName = try scope.zoneName(request.zoneID)
        } catch {
            guard error.code == .zoneNotFound else { throw error }
            return try answer(request) { _ in throw error }
        }
        found = try await storage.read { reading in
            guard let owner = try reading.owner(scope.database),
                let zone = try reading.zone(owner, named: zoneName), zone.state == .live
            else { return nil }
            return (zone, try reading.records(zone, named: names))
        }
        guard let found else {
            let isDefault = zoneName == ZoneID.defaultZoneName
            return try answer(request) { _ in
                throw isDefault ? WireError(.notFound, "Record not found") : RequestScope.zoneNotFound(zoneName)
            }
        }
        return try answer(request) { index in
            guard let stored = found.records[index], !stored.deleted else {
                throw WireError(.notFound, "Record not found")
            }
            let renderer = self.renderer(
                found.zone, scope, desiredKeys: request.records[index].desiredKeys ?? request.desiredKeys,
                numbersAsStrings: request.numbersAsStrings)
            return try renderer.record(stored)
        }
    }

    private func answer(
        _ request: RecordsLookupRequest, _ record: (Int) throws -> WireRecord
    ) throws -> [UInt8] {
        let results: [RecordResult] = try request.records.indices.map { index in
            do {
                return .record(try record(index))
            } catch let error as WireError {
                return .error(RecordError(recordName: request.records[index].recordName, error: error))
            }
        }
        return try RecordsResponse(records: results).wireJSON(numbersAsStrings: request.numbersAsStrings)
    }
}
