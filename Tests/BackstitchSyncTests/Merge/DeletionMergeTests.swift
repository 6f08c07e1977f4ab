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

    @Test(
        "deleted here, written by sync there: no conflict, unless a value differs or somebody has moved the object",
        arguments: ConflictResolutionPolicy.allCases, RewrittenRecord.all)
    func rewritten(_ policy: ConflictResolutionPolicy, _ record: RewrittenRecord) throws {
        let server = image(record.title, tags: record.tags)
        let entry = OutboxEntry.deletion(of: noteID(1), image("base"), entity, sequence: 6, existing: nil)
        var local = RecordMerge.Local(entry: entry, image: nil, mayHaveArrived: true, traces: record.traces)
        local.rest = record.rest
        let outcome = merge(policy).merge(local, with: server)
        guard record.isEdited else {
            #expect(outcome.row == .keep && outcome.conflicts.isEmpty && outcome.entry?.kind == .delete)
            return
        }
        #expect(outcome.conflicts.map(\.kind) == [.deletedHereEditedThere])
        #expect(outcome.row == (policy == .serverWins ? .write(server) : .keep))
        #expect((outcome.entry == nil) == (policy == .serverWins))
        // The deletion that stays is one of the record as it is now.
        guard policy == .clientWins, let left = outcome.entry, record.rest == RestOfRecord() else { return }
        local.entry = left
        #expect(merge(policy).merge(local, with: server) == RecordMerge.Outcome(row: .keep, entry: left))
    }

    @Test("what was unsent of a deleted object is not what the server had")
    func unsentEdit() {
        let entry = OutboxEntry.deletion(of: noteID(1), image("mine"), entity, sequence: 6, existing: update)
        let local = RecordMerge.Local(entry: entry, image: nil, mayHaveArrived: true)
        #expect(merge(.serverWins).merge(local, with: image("old")) == RecordMerge.Outcome(row: .keep, entry: entry))
        #expect(merge(.serverWins).merge(local, with: image("mine")).conflicts.count == 1)
    }

    @Test("a property that the deletion does not know counts where the record has something in it")
    func newProperty() {
        var entry = OutboxEntry.deletion(of: noteID(1), image("old"), entity, sequence: 6, existing: nil)
        entry.fields.removeAll { $0.name == "body" || $0.name == "tags" }
        let local = RecordMerge.Local(entry: entry, image: nil, mayHaveArrived: true)
        #expect(merge(.serverWins).merge(local, with: image("old")).conflicts.isEmpty)
        #expect(merge(.serverWins).merge(local, with: image("old", tags: [key(9)])).conflicts.count == 1)
    }

    @Test("an object that was deleted and is here again is merged on what the server had", arguments: [false, true])
    func hereAgain(isEditedHere: Bool) throws {
        let fields = ["body", "title"].map { name in
            OutboxEntry.Field(
                name: name, sequence: 7, base: OutboxEntry.Base.value(name == "title" ? "a" : .null).digested)
        }
        let entry = OutboxEntry(objectID: noteID(1), kind: .update, sequence: 7, firstSequence: 7, fields: fields)
        let mine = image(isEditedHere ? "mine" : "a")
        let local = RecordMerge.Local(entry: entry, image: mine, mayHaveArrived: true)
        // Written by sync; edited.
        let same = merge(.serverWins).merge(local, with: image("a"))
        #expect(same.conflicts.isEmpty && same.row == .keep && (same.entry != nil) == isEditedHere)
        let edited = merge(.clientWins).merge(local, with: image("theirs"))
        #expect(edited.conflicts.count == (isEditedHere ? 1 : 0))
        #expect(edited.row == (isEditedHere ? .keep : .write(image("theirs"))))
    }

    private let update = OutboxEntry(
        objectID: noteID(1), kind: .update, sequence: 5, firstSequence: 5,
        fields: [.init(name: "title", sequence: 5, base: .value("old"))], blockedReason: "refused before")
    private let delete = OutboxEntry(objectID: noteID(1), kind: .delete, sequence: 6, firstSequence: 5)

    private func merge(_ policy: ConflictResolutionPolicy) -> RecordMerge {
        RecordMerge(objectID: noteID(1), entity: entity, resolver: policy)
    }

    private func image(_ title: String, tags: [ObjectKey] = []) -> RecordImage {
        RecordImage(
            values: entity.columns.map { $0.name == "title" ? .string(title) : .null },
            links: [entity.ownedLinks.first?.slot ?? -1: tags])
    }
}

/// A record as others have left it, of an object whose title was "base".
struct RewrittenRecord: Sendable, CustomTestStringConvertible {
    var title = "base"
    var tags: [ObjectKey] = []
    /// Whether a push of the title "mine" has had no answer.
    var hasTrace = false
    var rest = RestOfRecord()

    var traces: [PushTrace] { hasTrace ? [["title": FieldDigest(.value("mine"))]] : [] }

    /// The rule, in its own words.
    var isEdited: Bool {
        let isOwnTitle = hasTrace && title == "mine"
        return rest.isMoved || rest.hasOtherChanges || title != "base" && !isOwnTitle || !tags.isEmpty
    }

    var testDescription: String { "\(title), \(tags.count) tags, pushed: \(hasTrace), \(rest)" }

    static let all = ["base", "mine", "theirs"].flatMap { title in
        [[], [key(9)]].flatMap { tags in
            (0..<32).map { bits in
                var record = RewrittenRecord(title: title, tags: tags, hasTrace: bits & 1 != 0)
                record.rest.isMoved = bits & 2 != 0
                record.rest.isUnderOtherKeys = bits & 4 != 0
                record.rest.hasOtherChanges = bits & 8 != 0
                record.rest.isFromLaterHistory = bits & 16 != 0
                return record
            }
        }
    }
}
