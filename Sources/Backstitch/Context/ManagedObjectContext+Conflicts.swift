extension ManagedObjectContext {
    /// Settles the conflicts that a store reported, by the merge policy. If the store has a row of the object, that row
    /// becomes the object's base, with the changes that the policy keeps.
    ///
    /// - Throws: `error` with the stored values, when the policy of one of the objects is ``MergePolicy/error``;
    ///   nothing has changed then.
    func resolveConflicts(_ error: BackstitchError) throws {
        forgetOrders()
        let faults = error.faults.isEmpty ? [error] : error.faults
        let stored = try storedRows(of: faults.compactMap(\.objectID))
        try refuseConflicts(faults, stored)
        for id in faults.compactMap(\.objectID) {
            if let object = registeredObject(id.key) {
                try resolve(object, stored: stored[id.key], error)
            } else {
                // The object is not in memory, so only its links were to be saved.
                unsaved.forgetLinks(of: id.key)
            }
        }
    }

    /// Returns the policy for the objects of an entity.
    func mergePolicy(for entity: ResolvedEntity) -> MergePolicy { entityMergePolicies[entity.name] ?? mergePolicy }

    func storedRows(of ids: [ObjectID]) throws -> [ObjectKey: RowSnapshot] {
        var stored: [ObjectKey: RowSnapshot] = [:]
        for (name, ids) in Dictionary(grouping: ids, by: \.entityName) {
            let batch = try source.rows(of: model.requireEntity(named: name), keys: ids.map(\.key))
            for row in 0..<batch.count { stored[batch.keys[row]] = RowSnapshot(batch: batch, row: row) }
        }
        return stored
    }

    private func refuseConflicts(_ faults: [BackstitchError], _ stored: [ObjectKey: RowSnapshot]) throws {
        let refused = try faults.compactMap { fault -> BackstitchError? in
            guard let id = fault.objectID else { return nil }
            let object = registeredObject(id.key)
            let entity = try object?.entity ?? model.requireEntity(named: id.entityName)
            guard mergePolicy(for: entity) == .error else { return nil }
            let cached = coordinator.cache.rows(of: entity, for: [id.key]).found.first
            let conflict = object.map { MergeConflict($0, cached: cached, stored: stored[id.key]) }
            return BackstitchError(
                .saveConflict,
                "\(fault.message); or set the context's mergePolicy, which decides whose values win",
                objectID: id, cause: fault.cause,
                mergeConflict: conflict)
        }
        guard refused.isEmpty else {
            throw BackstitchError.combining(
                refused, code: .saveConflict,
                summary: "\(refused.count) objects conflict with their stored state:")
        }
    }

    private func resolve(_ object: ManagedObject, stored: RowSnapshot?, _ error: BackstitchError) throws {
        switch (object.state, stored) {
        case (.inserted, let stored?): try adopt(object, stored)
        case (.deleted, let stored?): try resolveDeletion(of: object, stored)
        case (.deleted, nil): vanish(object)
        case (.persistent, let stored?): try rebase(object, stored)
        case (.persistent, nil): try resolveMissingRow(of: object)
        default: throw error
        }
    }

    func mineWins(_ object: ManagedObject) -> Bool {
        let policy = mergePolicy(for: object.entity)
        return policy == .mergeByPropertyObjectTrump || policy == .overwrite
    }

    /// The store has a row with this identity: the new object becomes a change of it.
    private func adopt(_ object: ManagedObject, _ stored: RowSnapshot) throws {
        regainRow(of: object)
        if !mineWins(object) { object.edits = nil }
        try rebase(object, stored)
    }

    /// Keeps the deletion if the merge policy favours this context. Otherwise restores the object as it is stored, with
    /// the links that its deletion had removed.
    func resolveDeletion(of object: ManagedObject, _ stored: RowSnapshot) throws {
        unsaved.forgetDispute(of: object)
        object.snapshot = stored
        identityMap.noteRow(of: object)
        guard !mineWins(object) else { return }
        object.state = .persistent
        object.edits = nil
        unsaved.takeBackDeletion(of: object)
        try withoutRecording { try takeBackUnlinking(of: object) }
        object.collections = [:]
        notifier.noteReturn(of: object)
    }

    private func resolveMissingRow(of object: ManagedObject) throws {
        guard mineWins(object), let row = object.snapshot else { return yieldRow(of: object) }
        reinsert(object, over: row)
    }

    private func rebase(_ object: ManagedObject, _ stored: RowSnapshot) throws {
        let policy = mergePolicy(for: object.entity)
        let base = object.snapshot
        let edits = object.edits ?? ObjectEdits.none(of: object.entity)
        for column in 0..<object.entity.columnCount where object.entity.properties[column].attribute?.derivation == nil
        {
            let theirs = stored.batch.value(stored.row, column)
            let original = base.map { $0.batch.value($0.row, column) }
            switch policy {
            case .overwrite: edits.set(edits[column] ?? original ?? theirs, at: column)
            case .rollback: edits.drop(column)
            case .mergeByPropertyStoreTrump: if original != theirs { edits.drop(column) }
            case .mergeByPropertyObjectTrump, .error: break
            }
            if edits[column] == theirs { edits.drop(column) }
        }
        object.snapshot = stored
        object.edits = edits.isEmpty ? nil : edits
        notifier.noteRefresh(of: object)
    }
}
