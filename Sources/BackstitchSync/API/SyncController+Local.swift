public import Backstitch

extension SyncController {
    /// Removes objects from this device, and from it only: their records stay on the server and on other devices. They do not come back
    /// when they change there, until ``restoreRemoved(_:)`` or ``eraseLocal(discardingUnsent:)``.
    ///
    /// No delete rules are carried out: what refers to them reads as nil meanwhile, and is not changed.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` with a fault for each object whose changes are not all on the server;
    ///   nothing is removed then.
    public func removeLocally(_ ids: [ObjectID]) async throws {
        try await services.onStore { [services] store in
            try store.removeLocally(ids, services.settings.model)
            services.announce(StoreChanges(deleted: ids))
        }
    }

    /// Gets objects from the server again that ``removeLocally(_:)`` has removed; others are left as they are.
    ///
    /// - Throws: A ``BackstitchError`` when the server cannot be asked; nothing has changed then.
    public func restoreRemoved(_ ids: [ObjectID]) async throws {
        let zone = services.settings.zone
        let names = try await services.onStore { store in
            try store.readJournal { journal in
                let states = try journal.recordStates(for: ids.map(\.key))
                return ids.map { states[$0.key]?.foreignName ?? $0.key.uuidString }
            }
        }
        for chunk in zip(ids, names).map({ (id: $0, name: $1) }).chunks(of: 200) {
            let news: [ServerNews]
            do {
                news = try await zip(chunk, services.client.records(named: chunk.map(\.name))).map { item, record in
                    record.map { ServerNews($0, zone: zone) } ?? ServerNews(deleted: item.name, zone: zone)
                }
            } catch { throw SyncFailure(any: error).error }
            let ids = chunk.map(\.id)
            try await services.onStore { [services] store in
                services.announce(try store.restore(ids, from: news, services.settings))
            }
        }
        driver.tell(.trigger(.manual("removed objects came back"), ticket: nil))
    }
}
