import Backstitch
import BackstitchSupport
import CloudWire

/// A followed request in the server's form: a query of one record type.
struct FollowedQuery: Sendable {
    /// A name made from the query's content, so that it is the same on every device.
    let id: String
    let entity: SyncedEntity
    /// The predicate in the model, for the objects of the entity; nil for all.
    let predicate: FetchPredicate?
    let query: RecordQuery

    /// The largest number of queries from all requests of a store. Each entity with objects of its own is one query.
    static let maximumCount = 50

    private init(_ entity: SyncedEntity, _ predicate: FetchPredicate?, in model: SyncedModel) throws {
        let resolved = try predicate?.resolved(for: entity.entity, in: model.model)
        self.entity = entity
        self.predicate = resolved
        query = RecordQuery(
            recordType: entity.wireName, filterBy: try resolved.map { try QueryFilters(entity, $0).filters } ?? [])
        var hash = SHA256()
        hash.update(data: try query.wireJSON())
        id = String(hash.finalize().hexadecimal.prefix(32))
    }

    /// The queries of a request, one for each entity with objects of its own.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for an entity outside the store,
    ///   ``BackstitchError/Code/invalidPredicate`` for a predicate that the server cannot evaluate.
    static func queries(of request: FollowedRequest, in model: SyncedModel) throws -> [FollowedQuery] {
        guard let entity = model.entity(named: request.entityName) else {
            let known = model.heldEntities.map(\.entity.name).sorted().joined(separator: ", ")
            throw BackstitchError(
                .invalidRequest,
                "the synced store has no entity \"\(request.entityName)\" to follow; it has \(known)")
        }
        let below = request.includesSubentities ? entity.entity.subentityNames : []
        let entities = [entity] + below.compactMap { model.entity(named: $0) }
        return try entities.filter { !$0.entity.isAbstract }.map {
            try FollowedQuery($0, request.predicate, in: model)
        }
    }

    /// Whether an object with these values fulfils the query, as far as this can be evaluated here.
    func wants(_ id: ObjectID, _ image: RecordImage) throws -> Bool {
        try predicate?.evaluate(ImageSubject(objectID: id, image: image)) ?? true
    }
}
