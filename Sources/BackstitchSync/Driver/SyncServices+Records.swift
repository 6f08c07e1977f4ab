import Backstitch
import BackstitchSupport

extension SyncServices {
    /// Takes records, or the news that there are none, in a transaction, and says what that has changed.
    typealias Taking = @Sendable (any JournalWriting, [ObjectID], [RemoteChange], ApplySettings) throws -> StoreChanges

    /// Looks objects' records up and takes them into the store: again where sync has moved the store between the two,
    /// since what was looked up may be older then than what is here.
    ///
    /// - Throws: A ``BackstitchError`` when the server cannot be asked, and what `work` throws.
    func takeRecords(
        of objects: [(id: ObjectID, name: String)],
        by work: @escaping Taking
    ) async throws {
        for chunk in objects.parts(of: 200) {
            var tries = 0
            while try await !takeRecordsOnce(of: Array(chunk), by: work) {
                tries += 1
                guard tries < 20 else { throw SyncGeneration.superseded.error }
            }
        }
    }

    /// - Returns: Whether the store was still the one that the records were looked up for.
    private func takeRecordsOnce(
        of objects: [(id: ObjectID, name: String)],
        by work: @escaping Taking
    ) async throws -> Bool {
        let zone = settings.zone, ids = objects.map(\.id)
        let generation = try await onStore { try $0.readJournal { try $0.generation() } }
        let news: [RemoteChange]
        do {
            news = try await zip(objects, client.records(named: objects.map(\.name))).map { object, record in
                record.map { RemoteChange($0, zone: zone) } ?? RemoteChange(deleted: object.name, zone: zone)
            }
        } catch { throw SyncFailure(any: error).error }
        let settings = currentSettings
        let changes = try await askingForKeys {
            try await onStore { store in
                try store.writeJournal(author: SyncAuthor.name) { journal in
                    try journal.generation() == generation ? work(journal, ids, news, settings) : nil
                }
            }
        }
        guard let changes else { return false }
        announce(changes)
        return true
    }
}
