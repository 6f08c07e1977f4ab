import Backstitch
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("deletion against edit")
struct DeletionMergeTests {
    let entity: ResolvedEntity

    init() throws { entity = try #require(SyncTestModel.resolved().entity(named: "Note")) }

    @Test("edited here, deleted there: the server's deletion stays, or the object is made anew, whole")
    func editedHere() {
        let local = RecordMerge.Local(entry: update, image: image("mine"), mayHaveArrived: true)
        let server = merge(.serverWins).mergeDeletion(local)
        #expect(server.row == .delete)
        #expect(server.entry == nil)
        let client = merge(.clientWins).mergeDeletion(local)
        #expect(client.row == .keep)
        #expect(client.entry?.kind == .insert)
        #expect(client.entry?.blockedReason == nil)
        for (outcome, winner) in [(server, SyncConflict.Side.server), (client, .client)] {
            #expect(
                outcome.conflicts == [
                    SyncConflict(objectID: noteID(1), kind: .editedHereDeletedThere, keys: ["title"], winner: winner)
                ])
        }
    }

    @Test("deleted here, edited there: the object comes back, or the deletion is sent again")
    func deletedHere() {
        let local = RecordMerge.Local(entry: delete, image: nil, mayHaveArrived: true)
        let server = merge(.serverWins).merge(local, with: image("theirs"))
        #expect(server.row == .write(image("theirs")))
        #expect(server.entry == nil)
        let client = merge(.clientWins).merge(local, with: image("theirs"))
        #expect(client.row == .keep)
        #expect(client.entry == delete)
        #expect([server, client].flatMap(\.conflicts).map(\.winner) == [.server, .client])
        #expect([server, client].flatMap(\.conflicts).allSatisfy { $0.kind == .deletedHereEditedThere })
    }

    @Test("deleted on both sides is no conflict", arguments: ConflictResolutionPolicy.allCases)
    func both(_ policy: ConflictResolutionPolicy) {
        let outcome = merge(policy).mergeDeletion(.init(entry: delete, image: nil, mayHaveArrived: true))
        #expect(outcome == RecordMerge.Outcome(row: .keep, entry: nil))
    }

    @Test("an insert that never left outlives an old deletion", arguments: ConflictResolutionPolicy.allCases)
    func newLife(_ policy: ConflictResolutionPolicy) {
        let entry = OutboxEntry(objectID: noteID(1), kind: .insert, sequence: 8, firstSequence: 8)
        let outcome = merge(policy).mergeDeletion(.init(entry: entry, image: image("mine"), mayHaveArrived: false))
        #expect(outcome == RecordMerge.Outcome(row: .keep, entry: entry))
    }

    @Test("an insert that others may have made as well, under a key made of what it is, is in conflict with a deletion")
    func sharedKey() {
        let id = ObjectID(entityName: "Note", key: ObjectKey(high: 0x0190_0000_0000_8000, low: 1 << 63))
        let entry = OutboxEntry(objectID: id, kind: .insert, sequence: 8, firstSequence: 8)
        let local = RecordMerge.Local(entry: entry, image: image("mine"), mayHaveArrived: true)
        for policy in ConflictResolutionPolicy.allCases {
            let outcome = merge(policy).mergeDeletion(local)
            #expect(outcome.row == (policy == .clientWins ? .keep : .delete))
            #expect(outcome.conflicts.map(\.kind) == [.editedHereDeletedThere])
        }
    }

    @Test(
        "deleting what one has just pushed, with the answer lost, is no conflict",
        arguments: ConflictResolutionPolicy.allCases)
    func ownPush(_ policy: ConflictResolutionPolicy) {
        let traces: [PushTrace] = [["title": FieldDigest(.value("older"))], ["title": FieldDigest(.value("mine"))]]
        let local = RecordMerge.Local(entry: delete, image: nil, mayHaveArrived: true, traces: traces)
        let own = merge(policy).merge(local, with: image("mine"))
        #expect(own == RecordMerge.Outcome(row: .keep, entry: delete))
        #expect(merge(policy).merge(local, with: image("another's")).conflicts.count == 1)
    }

    private let update = OutboxEntry(
        objectID: noteID(1), kind: .update, sequence: 5, firstSequence: 5,
        fields: [.init(name: "title", sequence: 5, base: .value("old"))], blockedReason: "refused before")
    private let delete = OutboxEntry(objectID: noteID(1), kind: .delete, sequence: 6, firstSequence: 5)

    private func merge(_ policy: ConflictResolutionPolicy) -> RecordMerge {
        RecordMerge(objectID: noteID(1), entity: entity, resolver: policy)
    }

    private func image(_ title: String) -> RecordImage {
        RecordImage(
            values: entity.columns.map { $0.name == "title" ? .string(title) : .null },
            links: [entity.ownedLinks.first?.slot ?? -1: []])
    }
}
