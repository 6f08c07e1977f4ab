import Backstitch
import BackstitchSupport
import CloudWire

/// The facts in a page of followed queries besides its records: objects that may have to be deleted from this device.
struct FollowedNews: Sendable {
    /// The followed queries that the server answers.
    var queries: [FollowedQuery] = []
    /// The followed queries that the server refuses. Objects of these queries stay.
    var unanswered: [FollowedQuery] = []
    /// Changed records that fulfil no query.
    var unmatched: [String] = []
    /// Completely read queries, with all records that came.
    var swept: [(query: FollowedQuery, met: Set<ObjectKey>)] = []

    /// Returns deletions of objects that no longer fulfil their followed query on the server.
    ///
    /// An object that fulfils no query here either stays: it came in another way, or the user has changed it. An object
    /// with unsent changes stays too. After these are sent, it may be too late to find out.
    func departures(in journal: any JournalReading, zone: String) throws -> [RemoteChange] {
        var gone: [RemoteChange] = []
        for part in unmatched.parts(of: 1_000) {
            let names = Dictionary(
                part.map { (RecordName.key(of: $0, zone: zone).key, $0) }, uniquingKeysWith: { $1 })
            let states = try journal.recordStates(for: names.keys.sorted())
            for (entityName, states) in Dictionary(grouping: states.values, by: \.objectID.entityName) {
                let queries = queries.filter { $0.entity.entity.name == entityName }
                gone += try departed(states, queries, in: journal, zone)
            }
        }
        for (query, met) in swept {
            for part in try journal.allKeys(of: query.entity.entity).filter({ !met.contains($0) }).parts(of: 1_000) {
                let states = try journal.recordStates(for: Array(part)).values.filter {
                    $0.objectID.entityName == query.entity.entity.name
                }
                gone += try departed(Array(states), [query], in: journal, zone)
            }
        }
        return gone
    }

    private func departed(
        _ states: [RecordState], _ queries: [FollowedQuery], in journal: any JournalReading, _ zone: String
    ) throws -> [RemoteChange] {
        let kept = unanswered.filter { $0.entity.entity.name == queries.first?.entity.entity.name }
        return try journal.clean(states, fulfilling: queries, butNot: kept).map { state in
            RemoteChange(deleted: state.foreignName ?? state.objectID.key.uuidString, zone: zone)
        }
    }
}

extension JournalReading {
    /// The unchanged objects, of these objects of one entity, that fulfil one of the queries and none of `others`.
    /// Unchanged means: as the server has them.
    func clean(
        _ states: [RecordState], fulfilling queries: [FollowedQuery], butNot others: [FollowedQuery] = []
    ) throws -> [RecordState] {
        guard let entity = queries.first?.entity else { return [] }
        let known = states.filter { $0.changeTag != nil }.sorted { $0.objectID.key < $1.objectID.key }
        let keys = known.map(\.objectID.key)
        let unsent = try outbox(for: keys)
        let images = try LocalImages(of: keys.filter { unsent[$0] == nil }, entity, from: self)
        return try known.filter { state in
            guard let image = images[state.objectID.key] else { return false }
            return try queries.contains { try $0.wants(state.objectID, image) }
                && !others.contains { try $0.wants(state.objectID, image) }
        }
    }
}
