import CloudWire

extension RecordOperations {
    /// Answers `records/lookup`. A name that occurs twice is answered once, and the second time with an error.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if all records together are larger than an answer may be.
    func lookup(
        _ request: RecordsLookupRequest, _ scope: RequestScope, _ budget: AnswerBudget
    ) async throws -> BoundedAnswer {
        try scope.checkCount(request.records.count + request.malformed.count, of: "records")
        let names = request.records.map(\.recordName)
        let fields = try scope.fields(request.desiredKeys)
        let ownFields = try request.records.map { record throws(WireError) in try scope.fields(record.desiredKeys) }
        let place: ZonePlace
        let found: (zone: StoredZone, records: [StoredRecord?], shares: [StoredShare])?
        do throws(WireError) {
            place = try scope.place(of: request.zoneID)
        } catch {
            guard error.code == .zoneNotFound else { throw error }
            return try close(request, budget) { _ in throw error }
        }
        found = try await server.storage.read { reading in
            let owner = try reading.owner(scope.database)
            guard let zone = try scope.zone(at: place, owner, reading) else { return nil }
            let records = try reading.records(zone, named: names, limit: budget.left)
            return (zone, records, try ShownShares(in: records.compactMap(\.self), of: zone, scope, reading).all)
        }
        guard let found else {
            return try close(request, budget) { _ in
                throw place.isDefault ? WireError(.notFound, "Record not found") : RequestScope.zoneNotFound(place.name)
            }
        }
        return try close(request, budget) { index in
            guard let stored = found.records[index], !stored.deleted else {
                return .error(try missing(names[index], found.records[index], in: found.zone, scope))
            }
            try scope.require(.read, type: stored.type, creator: stored.createdBy)
            let renderer = server.renderer(
                found.zone, scope, shares: found.shares,
                desiredKeys: ownFields[index] ?? fields,
                numbersAsStrings: request.numbersAsStrings)
            return .record(try renderer.record(stored))
        }
    }

    /// The answer for a record that the zone does not have. It tells a caller with extensions of the record's deletion.
    private func missing(
        _ name: String, _ tombstone: StoredRecord?, in zone: StoredZone, _ scope: RequestScope
    ) throws -> RecordError {
        var error = RecordError(recordName: name, error: WireError(.notFound, "Record not found"))
        guard scope.extensions, scope.database.scope != .public, let tombstone else { return error }
        error.serverRecord = try server.renderer(zone, scope, desiredKeys: nil, numbersAsStrings: false)
            .record(tombstone)
        error.serverRecordDeleted = true
        return error
    }

    /// Builds the answer from the result, or a thrown error, for each place in the request.
    private func close(
        _ request: RecordsLookupRequest, _ budget: AnswerBudget, _ result: (Int) throws -> RecordResult
    ) throws -> BoundedAnswer {
        var repeats = RepeatedNames()
        let results: [RecordResult] = try request.records.indices.map { index in
            do {
                try repeats.check(request.records[index].recordName, "record")
                return try result(index)
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
