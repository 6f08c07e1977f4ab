import CloudWire

extension ZoneService {
    /// `records/lookup`. A name that is given twice is answered once.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" when the records are larger together than an answer may be.
    func lookup(
        _ request: RecordsLookupRequest, _ scope: RequestScope, _ budget: AnswerBudget
    ) async throws -> BoundedAnswer {
        try scope.checkCount(request.records.count + request.malformed.count, of: "records")
        let names = request.records.map(\.recordName)
        let zoneName: String
        let found: (zone: StoredZone, records: [StoredRecord?])?
        do throws(WireError) {
            zoneName = try scope.zoneName(request.zoneID)
        } catch {
            guard error.code == .zoneNotFound else { throw error }
            return try answer(request, budget) { _ in throw error }
        }
        found = try await storage.read { reading in
            guard let owner = try reading.owner(scope.database),
                let zone = try reading.zone(owner, named: zoneName), zone.state == .live
            else { return nil }
            return (zone, try reading.records(zone, named: names, limit: budget.left))
        }
        guard let found else {
            let isDefault = zoneName == ZoneID.defaultZoneName
            return try answer(request, budget) { _ in
                throw isDefault ? WireError(.notFound, "Record not found") : RequestScope.zoneNotFound(zoneName)
            }
        }
        return try answer(request, budget) { index in
            guard let stored = found.records[index], !stored.deleted else {
                throw WireError(.notFound, "Record not found")
            }
            try scope.require(.read, type: stored.type, creator: stored.createdBy)
            let renderer = self.renderer(
                found.zone, scope, desiredKeys: request.records[index].desiredKeys ?? request.desiredKeys,
                numbersAsStrings: request.numbersAsStrings)
            return try renderer.record(stored)
        }
    }

    private func answer(
        _ request: RecordsLookupRequest, _ budget: AnswerBudget, _ record: (Int) throws -> WireRecord
    ) throws -> BoundedAnswer {
        var repeats = Repeats()
        let results: [RecordResult] = try request.records.indices.map { index in
            do {
                try repeats.check(request.records[index].recordName, "record")
                return .record(try record(index))
            } catch let error as WireError {
                return .error(RecordError(recordName: request.records[index].recordName, error: error))
            }
        }
        let all = request.malformed.woven(into: results) { item in
            .error(RecordError(recordName: item.name ?? "", error: item.error))
        }
        return try budget.close(RecordsResponse(records: all), numbersAsStrings: request.numbersAsStrings)
    }
}
