import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Testing

@testable import BackstitchSQLite

@Suite("A store in memory made of another one")
struct RemakingTests {
    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture(.probe) }

    @Test("holds nothing of it, has a name of its own, and counts from the beginning")
    func isEmpty() throws {
        let configuration = try fixture.configuration(nil, [:], true)
        let old = try SQLiteStore(configuration)
        let group = fixture.generator.next()
        try fill(old, group)
        try old.writeJournal(author: "sync") { journal in
            try journal.setMetadata(.init([1]), for: "token")
            try journal.putRecordStates([
                RecordState(objectID: ObjectID(entityName: "Group", key: group), changeTag: "1")
            ])
        }
        let reference = try old.assets.write(.init([1, 2, 3]))

        let store = try old.remade(configuration)
        #expect(store.identifier != old.identifier)
        #expect(try fixture.model.entities.allSatisfy { try store.all($0).count == 0 })
        #expect(try store.transactions().isEmpty)
        #expect(try store.history().isEmpty)
        #expect(try store.assets.read(reference) == nil)
        #expect(try store.readJournal { try $0.outboxCounts() } == (0, 0))
        #expect(try store.readJournal { try $0.metadata(for: "token") } == nil)
        #expect(try store.readJournal { try $0.allRecordKeys() }.isEmpty)
        try fill(store, group)
        #expect(try store.readJournal { try $0.outbox(for: [group])[group]?.sequence } == 1)
        #expect(try store.transactions().count == 1)
        #expect(throws: BackstitchError.self) { try fill(old, fixture.generator.next()) }
    }

    @Test("is refused where one of the two is in a file, and nothing is lost by that")
    func files() throws {
        let old = try fixture.open()
        let group = fixture.generator.next()
        try fill(old, group)
        #expect(throws: BackstitchError.self) { try old.remade(fixture.configuration(nil)) }
        let inMemory = try fixture.openInMemory()
        #expect(throws: BackstitchError.self) { try inMemory.remade(fixture.configuration(fixture.file)) }
        #expect(try old.all(fixture.entity("Group")).keys.contains(group))
        try fill(inMemory, group)
    }

    private func fill(_ store: SQLiteStore, _ group: ObjectKey) throws {
        let item = fixture.generator.next()
        try store.save {
            $0.inserts = [try fixture.rows("Group", group), try fixture.rows("Item", item)]
            $0.links = [
                LinkChange(
                    entity: try fixture.entity("Group"), property: try fixture.property("items", of: "Group"),
                    added: [.init(source: group, target: item)])
            ]
        }
    }
}
