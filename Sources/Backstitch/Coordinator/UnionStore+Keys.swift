// A key belongs to one object in all stores of a coordinator, because contexts know objects by their keys.
extension UnionStore {
    /// Refuses new objects with given keys that belong to objects in other stores.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` with a fault for each.
    func refuseKeysOfOtherStores(_ parts: [(member: Int, request: SaveChangesRequest)]) throws {
        var faults: [BackstitchError] = []
        for (index, part) in parts {
            for rows in part.inserts {
                faults += try self.faults(of: rows, givesKeys: part.givesKeys, in: members[index])
            }
        }
        if !faults.isEmpty { throw BackstitchError.takenKeys(faults) }
    }

    /// Returns a batch insert that checks its rows against the other stores as they arrive.
    func refusingKeysOfOtherStores(_ request: StoreBatchRequest, in member: StoreMember) -> StoreBatchRequest {
        guard case .insert(let entity, let rows) = request.operation else { return request }
        let operation = StoreBatchRequest.Operation.insert(entity) { [self] in
            let next = rows()
            return { limit in
                guard let part = try next(limit) else { return nil }
                let faults = try self.faults(of: part.rows, givesKeys: part.givesKeys, in: member)
                if !faults.isEmpty { throw BackstitchError.takenKeys(faults) }
                return part
            }
        }
        return request.replacing(operation)
    }

    private func faults(of rows: RowBatch, givesKeys: Bool, in member: StoreMember) throws -> [BackstitchError] {
        let keys = givesKeys ? Array(rows.keys) : rows.keys.filter(\.isMadeOfValues)
        guard !keys.isEmpty else { return [] }
        var faults: [BackstitchError] = []
        for other in members where other.store !== member.store {
            for entity in model.entities where entity.isRoot && other.holds(entity) {
                let found = try other.store.rows(of: entity, keys: keys)
                faults += (0..<found.count).map { row in
                    let id = ObjectID(entityName: rows.entity.name, key: found.keys[row])
                    return .takenKey(id, by: found.objectID(at: row))
                }
            }
        }
        return faults
    }
}
