extension ManagedObjectContext {
    /// Lays the objects that a store reported in conflict anew over the stored rows, as the merge policy says.
    func resolveConflicts(_ error: BackstitchError) throws {
        orderTails = [:]
        let ids = (error.faults.isEmpty ? [error] : error.faults).compactMap(\.objectID)
        for (name, ids) in Dictionary(grouping: ids, by: \.entityName) {
            let entity = try model.requireEntity(named: name)
            let batch = try source.currentRows(of: entity, keys: ids.map(\.key))
            let stored = Dictionary(
                uniqueKeysWithValues: (0..<batch.count).map { (batch.keys[$0], RowSnapshot(batch: batch, row: $0)) })
            for id in ids {
                guard let object = registeredObject(id.key) else { throw error }
                try resolve(object, stored: stored[id.key], error)
            }
        }
    }

    private func resolve(_ object: ManagedObject, stored: RowSnapshot?, _ error: BackstitchError) throws {
        switch (object.state, stored) {
        case (.inserted, let stored?): try adopt(object, stored)
        case (.deleted, let stored?): resolveDeletion(of: object, stored)
        case (.deleted, nil): vanish(object)
        case (.persistent, let stored?): try rebase(object, stored)
        case (.persistent, nil): try resolveMissingRow(of: object)
        default: throw error
        }
    }

    var mineWins: Bool { mergePolicy == .mergeByPropertyObjectTrump || mergePolicy == .overwrite }

    /// A row with this identity is there already: the new object becomes a change of it.
    private func adopt(_ object: ManagedObject, _ stored: RowSnapshot) throws {
        inserted[object.key] = nil
        object.isNew = false
        object.state = .persistent
        if !mineWins { object.edits = nil }
        try rebase(object, stored)
        updated[object.key] = object
    }

    private func resolveDeletion(of object: ManagedObject, _ stored: RowSnapshot) {
        object.snapshot = stored
        guard !mineWins else { return }
        object.state = .persistent
        object.edits = nil
        deleted[object.key] = nil
    }

    private func resolveMissingRow(of object: ManagedObject) throws {
        guard mineWins, let snapshot = object.snapshot else {
            vanish(object)
            return
        }
        let edits = ObjectEdits(defaultsOf: object.entity)
        for column in 0..<object.entity.columnCount {
            edits.set(object.edits?[column] ?? snapshot.batch.value(snapshot.row, column), at: column)
        }
        object.edits = edits
        object.isNew = true
        object.state = .inserted
        updated[object.key] = nil
        inserted[object.key] = object
    }

    private func rebase(_ object: ManagedObject, _ stored: RowSnapshot) throws {
        let base = object.snapshot
        let edits = object.edits ?? ObjectEdits(of: object.entity)
        for column in 0..<object.entity.columnCount {
            let theirs = stored.batch.value(stored.row, column)
            let original = base.map { $0.batch.value($0.row, column) }
            switch mergePolicy {
            case .overwrite: edits.set(edits[column] ?? original ?? theirs, at: column)
            case .rollback: edits.drop(column)
            case .mergeByPropertyStoreTrump: if original != theirs { edits.drop(column) }
            case .mergeByPropertyObjectTrump, .error: break
            }
            if edits[column] == theirs { edits.drop(column) }
        }
        object.snapshot = stored
        object.edits = edits.changed.isEmpty ? nil : edits
    }
}
