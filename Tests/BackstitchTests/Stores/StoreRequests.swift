import Testing

@testable import Backstitch

/// One of each request for rows.
struct StoreRequests {
    static let model = ManagedObjectModel([
        EntityDescription("Folder", [.toMany("notes", "Note", inverse: "folder")]),
        EntityDescription("Note", [.attribute("title", .string), .toOne("folder", "Folder", inverse: "notes")]),
    ])

    let entity: ResolvedEntity
    let key = ObjectKey(high: 0, low: 1)
    private let relationship: ResolvedProperty

    init(_ model: ResolvedModel? = nil) throws {
        entity = try (model ?? ResolvedModel(Self.model)).requireEntity(named: "Folder")
        relationship = try entity.requireProperty(named: "notes")
    }

    var fetch: StoreFetchRequest { StoreFetchRequest(entity: entity) }

    var dictionaries: StoreDictionaryRequest {
        StoreDictionaryRequest(
            fetch: fetch, columns: [], groupBy: [], isGrouped: false, isDistinct: false, results: entity, having: nil,
            sortDescriptors: [], limit: nil, offset: 0)
    }

    /// Sends each request to a source, and expects the store's own answer to that and no other request.
    func read(_ source: any StoreReading, _ log: RequestLog, prefix: String) throws {
        _ = try source.fetch(fetch)
        #expect(log.take() == [prefix + "fetch"])
        var batches = 0
        try source.forEachBatch(fetch, size: 10) { _ in batches += 1 }
        #expect(batches == 1)
        #expect(log.take() == [prefix + "forEachBatch"])
        #expect(try source.fetchKeys(fetch) == [ObjectKey(high: 0, low: 7)])
        #expect(log.take() == [prefix + "fetchKeys"])
        #expect(try source.count(fetch) == 7)
        #expect(log.take() == [prefix + "count"])
        #expect(try source.fetchDictionaries(dictionaries).count == 1)
        #expect(log.take() == [prefix + "fetchDictionaries"])
        _ = try source.rows(of: entity, keys: [key])
        #expect(log.take() == [prefix + "rows"])
        _ = try source.related(by: relationship, of: entity, sources: [key])
        #expect(log.take() == [prefix + "related"])
    }
}
