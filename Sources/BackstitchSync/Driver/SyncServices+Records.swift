import Backstitch
import BackstitchSupport

extension SyncServices {
    /// Applies records, or the news that they are missing, in a transaction, and returns the changes.
    typealias Taking = @Sendable (any JournalWriting, [ObjectID], [RemoteChange], ApplySettings) throws -> StoreChanges

    /// Fetches the records of objects and applies them to the store.
    ///
    /// - Throws: A ``BackstitchError`` when the server cannot be asked, and the errors of `work`.
    @discardableResult
    func takeRecords(
        of objects: [(id: ObjectID, name: String)],
        by work: @escaping Taking
    ) async throws -> StoreChanges {
        let zone = settings.zone
        var changes = StoreChanges()
        for chunk in objects.parts(of: 200) {
            let chunk = Array(chunk), ids = chunk.map(\.id)
            let taken = try await take {
                do {
                    return try await zip(chunk, client.lookUp(chunk.map(\.name))).map { object, found in
                        RemoteChange(found, named: object.name, zone: zone)
                    }
                } catch { throw SyncFailure(any: error).error }
            } by: {
                try work($0, ids, $1, $2)
            }
            changes.merge(taken)
        }
        return changes
    }

    /// Requests records and applies them to the store. The request is repeated if sync has changed the store meanwhile,
    /// because the answer may then be older than the store's data.
    func take(
        _ ask: () async throws -> [RemoteChange],
        by work: @escaping @Sendable (any JournalWriting, [RemoteChange], ApplySettings) throws -> StoreChanges
    ) async throws -> StoreChanges {
        for _ in 0..<20 {
            let generation = try await onStore { try $0.readJournal { try $0.generation() } }
            let news = try await completing(ask()), settings = currentSettings
            // Only after a read of its zones is it known whether an object has moved or was deleted.
            if news.contains(where: { $0.record == nil }) {
                reading.lacksNews(ofZone: settings.zoneNumber)
            }
            let changes = try await askingForKeys {
                try await onStore { store in
                    try store.writeJournal(author: SyncAuthor.name) { journal in
                        try journal.generation() == generation ? work(journal, news, settings) : nil
                    }
                }
            }
            guard let changes else { continue }
            // A running full fetch may have passed the positions of these records.
            sweep.add(news.filter { $0.record != nil }.map(\.key), known: 0)
            announce(changes)
            return changes
        }
        throw SyncGeneration.superseded.error
    }

    /// Adds the bytes of large values, which the server keeps as assets.
    private func completing(_ news: [RemoteChange]) async throws -> [RemoteChange] {
        var complete: [RemoteChange] = []
        for item in news {
            guard let record = item.record else {
                complete.append(item)
                continue
            }
            do { complete.append(RemoteChange(try await completing(record), zone: settings.zone)) } catch {
                throw SyncFailure(any: error).error
            }
        }
        return complete
    }
}
