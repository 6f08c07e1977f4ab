import Testing

@testable import Backstitch

/// A layer that adds nothing.
private final class BareLayer: StoreLayer {
    static let typeName = "BareLayer"

    let base: any PersistentStore

    init(_ base: any PersistentStore) { self.base = base }
    init(_ configuration: StoreConfiguration) throws { base = RecordingStore() }
}

/// A layer with a journal that adds nothing.
private final class BareJournalLayer: JournalLayer {
    static let typeName = "BareJournalLayer"

    let journalBase: any JournalingStore

    init(_ base: any JournalingStore) { journalBase = base }
    init(_ configuration: StoreConfiguration) throws { journalBase = RecordingStore() }
}

/// A layer as a user would write it: it overrides only the requests that it changes.
private final class DoublingLayer: StoreLayer {
    static let typeName = "DoublingLayer"

    let base: any PersistentStore

    init(_ base: any PersistentStore) { self.base = base }
    init(_ configuration: StoreConfiguration) throws { base = RecordingStore() }

    func count(_ request: StoreFetchRequest) throws -> Int { try base.count(request) * 2 }
}

/// Requests reach the store below by their own names. A layer that used a default of the protocol would send something
/// else: rows to count them, all of them to return them in batches, or nothing.
@Suite("layers over a store")
struct StoreLayerTests {
    private let requests: StoreRequests

    init() throws { requests = try StoreRequests() }

    @Test("each request for rows reaches the store's own", arguments: [false, true])
    func reading(hasJournal: Bool) throws {
        let store = RecordingStore()
        let layer: any PersistentStore = hasJournal ? BareJournalLayer(store) : BareLayer(store)
        try requests.read(layer, store.log, prefix: "")
        let twice = BareLayer(layer)
        try requests.read(twice, store.log, prefix: "")
    }

    @Test("each other request reaches the store's own", arguments: [false, true])
    func writing(hasJournal: Bool) throws {
        let store = RecordingStore(), log = store.log
        let layer: any PersistentStore = hasJournal ? BareJournalLayer(store) : BareLayer(store)
        let identifier = store.identifier
        _ = log.take()
        #expect(layer.identifier == identifier)
        #expect(log.take() == ["identifier"])
        _ = layer.assets
        #expect(log.take() == ["assets"])
        #expect(layer.hasAssetsElsewhere)
        #expect(log.take() == ["hasAssetsElsewhere"])
        #expect(layer.isWrittenByOthers)
        #expect(log.take() == ["isWrittenByOthers"])
        #expect(try layer.save(SaveChangesRequest()).transactionNumber == 7)
        #expect(log.take() == ["save"])
        _ = try layer.execute(StoreBatchRequest(.delete(requests.fetch)))
        #expect(log.take() == ["execute"])
        let snapshot = try #require(try layer.makeSnapshot())
        #expect(log.take() == ["makeSnapshot"])
        try requests.read(snapshot, log, prefix: "snapshot ")
        #expect(try layer.collectAssets() == 7)
        #expect(log.take() == ["collectAssets"])
        try layer.close()
        #expect(log.take() == ["close"])
    }

    @Test("the journal is the store's, or the layer itself where it has one")
    func journal() throws {
        let store = RecordingStore()
        #expect(BareLayer(store).journal === store)
        #expect(store.log.take() == ["journal"])
        let layer = BareJournalLayer(store)
        #expect(layer.journal === layer)
        #expect(store.log.take() == [])
    }

    @Test("each request for the journal reaches the store's own")
    func journaling() throws {
        let store = RecordingStore(), log = store.log
        let layer: any JournalingStore = BareJournalLayer(store)
        #expect(throws: RecordingStore.Reached.self) { try layer.readJournal { _ in } }
        #expect(log.take() == ["readJournal"])
        #expect(throws: RecordingStore.Reached.self) { try layer.writeJournal(author: "test") { _ in } }
        #expect(log.take() == ["writeJournal"])
        try layer.makeDurable()
        #expect(log.take() == ["makeDurable"])
        #expect(try layer.removeAssets { _ in [] })
        #expect(log.take() == ["removeAssets"])
        #expect(try layer.makeLock("test") {} != nil)
        #expect(log.take() == ["makeLock"])
    }

    @Test("a layer changes what it declares, and nothing else")
    func change() throws {
        let store = RecordingStore()
        let layer: any PersistentStore = DoublingLayer(store)
        #expect(try layer.count(requests.fetch) == 14)
        #expect(store.log.take() == ["count"])
        #expect(try layer.fetchKeys(requests.fetch).count == 1)
        #expect(store.log.take() == ["fetchKeys"])
    }
}
