import Backstitch
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// One property's three values, for every combination of changes on two sides.
struct Triple: Sendable, CustomTestStringConvertible {
    let base: Value
    let local: Value
    let server: Value

    var testDescription: String { "base \(base.summary), here \(local.summary), there \(server.summary)" }

    static let values: [Value] = [.null, .string("a"), .string("b"), .string("c")]
    static let all = values.flatMap { base in
        values.flatMap { local in values.map { Triple(base: base, local: local, server: $0) } }
    }
}

@Suite("the merge of one property")
struct MergeTableTests {
    let entity: ResolvedEntity

    init() throws { entity = try #require(SyncTestModel.resolved().entity(named: "Note")) }

    @Test(
        "an edited property keeps what one side changed, and goes to the policy where both did",
        arguments: Triple.all, ConflictResolutionPolicy.allCases)
    func edit(_ triple: Triple, _ policy: ConflictResolutionPolicy) throws {
        let slot = try slot("title")
        let fields = [OutboxEntry.Field(name: "title", sequence: 5, base: .value(triple.base))]
        let entry = OutboxEntry(objectID: noteID(1), kind: .update, sequence: 5, firstSequence: 4, fields: fields)
        let outcome = merge(policy).merge(
            .init(entry: entry, image: image(["title": triple.local]), mayHaveArrived: true),
            with: image(["title": triple.server]))
        let end = result(outcome, local: image(["title": triple.local])).values[slot]

        // The rule, in its own words.
        let changedHere = triple.local != triple.base, changedThere = triple.server != triple.base
        let expected: Value
        var isConflict = false
        switch (changedHere, changedThere) {
        case (_, false): expected = triple.local
        case (false, true): expected = triple.server
        case (true, true):
            isConflict = triple.local != triple.server
            expected = policy == .serverWins ? triple.server : triple.local
        }
        #expect(end == expected)
        #expect(outcome.conflicts.count == (isConflict ? 1 : 0))
        if isConflict {
            #expect(outcome.conflicts.first?.keys == ["title"])
            #expect(outcome.conflicts.first?.winner == (policy == .serverWins ? .server : .client))
        }
        // A value that differs from the server's is still to be sent, with the server's value as its base.
        if end == triple.server {
            #expect(outcome.entry == nil)
        } else {
            let left = OutboxEntry.Field(name: "title", sequence: 5, base: .value(triple.server))
            #expect(outcome.entry?.fields == [left])
            #expect(outcome.entry?.kind == .update)
            #expect(outcome.entry?.sequence == 5)
        }
    }

    @Test("a property that was not edited here takes the server's value", arguments: Triple.values)
    func untouched(_ server: Value) throws {
        let fields = [OutboxEntry.Field(name: "title", sequence: 5, base: .value(.null))]
        let entry = OutboxEntry(objectID: noteID(1), kind: .update, sequence: 5, firstSequence: 4, fields: fields)
        let local = image(["title": "mine", "body": "old"])
        let outcome = merge(.serverWins).merge(
            .init(entry: entry, image: local, mayHaveArrived: true), with: image(["body": server]))
        let end = result(outcome, local: local)
        #expect(try end.values[slot("body")] == server)
        #expect(try end.values[slot("title")] == "mine")
        #expect(outcome.conflicts.isEmpty)
    }

    @Test("an insert that the server has already becomes an update of what differs", arguments: [true, false])
    func insertThatArrived(_ wasEditedThere: Bool) throws {
        // Sent with the title "a", answer lost; then edited here to "b".
        let fields = [OutboxEntry.Field(name: "title", sequence: 9, base: .value("a"))]
        let entry = OutboxEntry(objectID: noteID(1), kind: .insert, sequence: 9, firstSequence: 3, fields: fields)
        let local = image(["title": "b", "body": "text"])
        let server = image(["title": "a", "body": wasEditedThere ? "theirs" : "text"])
        let outcome = merge(.clientWins).merge(.init(entry: entry, image: local, mayHaveArrived: true), with: server)
        let end = result(outcome, local: local)
        #expect(try end.values[slot("title")] == "b")
        #expect(try end.values[slot("body")] == (wasEditedThere ? "theirs" : "text"))
        #expect(outcome.entry?.kind == .update)
        #expect(outcome.entry?.fields.map(\.name) == ["title"])
        #expect(outcome.conflicts.isEmpty)
    }

    @Test(
        "an object that was made on two devices is merged, and goes to the policy where both gave a value",
        arguments: ConflictResolutionPolicy.allCases)
    func madeTwice(_ policy: ConflictResolutionPolicy) throws {
        let entry = OutboxEntry(objectID: noteID(1), kind: .insert, sequence: 9, firstSequence: 9)
        let local = image(["title": "mine", "body": "only here"])
        let server = image(["title": "theirs", "rank": 5])
        let outcome = merge(policy).merge(.init(entry: entry, image: local, mayHaveArrived: false), with: server)
        let end = result(outcome, local: local)
        #expect(try end.values[slot("title")] == (policy == .serverWins ? "theirs" : "mine"))
        #expect(try end.values[slot("body")] == "only here")
        #expect(try end.values[slot("rank")] == 5)
        #expect(outcome.conflicts.map(\.keys) == [["title"]])
        #expect(outcome.entry?.fields.map(\.name) == (policy == .serverWins ? ["body"] : ["body", "title"]))
    }

    @Test(
        "a push whose answer was lost is recognised, so that it conflicts with nothing",
        arguments: ConflictResolutionPolicy.allCases)
    func echo(_ policy: ConflictResolutionPolicy) throws {
        // Base a, pushed b (answer lost), then edited to c; the server has b.
        let fields = [OutboxEntry.Field(name: "title", sequence: 9, base: .value("a"))]
        let entry = OutboxEntry(objectID: noteID(1), kind: .update, sequence: 9, firstSequence: 3, fields: fields)
        let local = image(["title": "c"])
        let traces: [PushTrace] = [["title": FieldDigest(.value("b"))]]
        let outcome = merge(policy).merge(
            .init(entry: entry, image: local, mayHaveArrived: true, traces: traces), with: image(["title": "b"]))
        #expect(result(outcome, local: local) == local)
        #expect(outcome.conflicts.isEmpty)
        #expect(outcome.entry?.fields == [.init(name: "title", sequence: 9, base: .value("b"))])
    }

    // MARK: Helpers

    private func slot(_ name: String) throws -> Int { try entity.requireProperty(named: name).slot }

    private func merge(_ policy: ConflictResolutionPolicy) -> RecordMerge {
        RecordMerge(objectID: noteID(1), entity: entity, resolver: policy)
    }

    private func image(_ values: [String: Value]) -> RecordImage {
        RecordImage(
            values: entity.columns.map { values[$0.name] ?? .null }, links: [entity.ownedLinks.first?.slot ?? -1: []])
    }

    private func result(_ outcome: RecordMerge.Outcome, local: RecordImage) -> RecordImage {
        if case .write(let image) = outcome.row { image } else { local }
    }
}
