extension ManagedObjectContext {
    /// Returns a message for each inconsistency in the context. Each part checks itself; then the parts, the objects
    /// and both ends of their links are compared. Empty when all is well.
    ///
    /// For tests, after each step; it reads no store. Complexity: O(registered objects + loaded links).
    package func _checkInvariants() -> [String] {
        var checker = InvariantChecker(self)
        checker.checkParts()
        checker.checkObjects()
        checker.checkEdits()
        checker.checkDeltas()
        checker.checkOrders()
        // A fault may fire before changes made elsewhere are merged. It then reads one end of a link, and the other end
        // does not show it yet.
        if mailbox.isEmpty, parent?.notifier.hasNewsForChildren != true { checker.checkInverses() }
        return checker.broken.messages
    }
}

extension ManagedObjectContext {
    /// Merges changes made elsewhere. Then it looks for objects that are stored in the view of the context, but not in
    /// the store or parent below. Returns a message for each; empty when all is well. For tests.
    package func _checkKnowledge() throws -> [String] {
        mergeChangesFromParent()
        var strangers: [String] = []
        let stored = identityMap.objects.filter { $0.isLoaded && $0.state == .persistent }
        for (entity, objects) in Dictionary(grouping: stored, by: \.entity) {
            let present = try Set(source.rows(of: entity, keys: objects.map(\.key)).keys)
            strangers += objects.filter { !present.contains($0.key) }.map {
                "\(name ?? "the context") has \($0.objectID), which is not below it"
            }
        }
        return strangers
    }
}

extension PersistentStoreCoordinator {
    /// Returns a message for each cached row that differs from the store's row. There must be no writer at the same
    /// time.
    package func _checkInvariants() throws -> [String] {
        var broken: [String] = []
        for (entity, rows) in Dictionary(grouping: cache.all, by: \.batch.entity) {
            let stored = try store.rows(of: entity, keys: rows.map(\.key))
            let positions = Dictionary(uniqueKeysWithValues: stored.keys.enumerated().map { ($1, $0) })
            for row in rows {
                let position = positions[row.key]
                let isSame = position.map { row.isEqual(to: RowSnapshot(batch: stored, row: $0)) } ?? false
                if !isSame { broken.append("the cached row of \(entity.name) \(row.key) is not the stored one") }
            }
        }
        return broken
    }
}

extension RowSnapshot {
    fileprivate var key: ObjectKey { batch.keys[row] }

    fileprivate func isEqual(to other: RowSnapshot) -> Bool {
        version == other.version
            && batch.entity.columns.allSatisfy { batch.value(row, $0.slot) == other.batch.value(other.row, $0.slot) }
    }
}
