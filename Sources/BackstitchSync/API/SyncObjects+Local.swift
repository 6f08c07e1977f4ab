public import Backstitch

extension SyncObjects {
    /// Removes objects from this device only: their records stay on the server and on other devices. Changes there do
    /// not bring them back until ``restore(_:)`` or ``SyncController/eraseLocal(discardingUnsent:)``.
    ///
    /// Delete rules are not applied. A relationship to a removed object reads as nil meanwhile, and is not changed.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` with a fault for each object whose changes are not all on the
    ///   server; nothing is removed then.
    public func removeLocally(_ ids: [ObjectID]) async throws {
        try await services.onStore { [services] store in
            try store.removeLocally(ids, services.settings.model)
            services.announce(StoreChanges(deleted: ids))
        }
    }

    /// Fetches objects again that ``removeLocally(_:)`` has removed; others stay as they are.
    ///
    /// - Throws: A ``BackstitchError`` when the server cannot be asked; nothing has changed then.
    public func restore(_ ids: [ObjectID]) async throws {
        let objects = try await services.onStore { store in
            try store.readJournal { journal in
                let states = try journal.recordStates(for: ids.map(\.key))
                return ids.map { (id: $0, name: states[$0.key]?.foreignName ?? $0.key.uuidString) }
            }
        }
        for (services, objects) in try await services.services(ofZonesOf: objects, by: \.id) {
            try await services.takeRecords(of: objects) { try $0.restore($1, from: $2, $3) }
        }
        driver.tell(.trigger(.manual("removed objects came back"), ticket: nil))
    }
}
