import Backstitch
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the merge of to-many relationships")
struct LinkMergeTests {
    @Test("both sides' additions and removals stay: all cases over three targets")
    func exhaustive() throws {
        let entity = try #require(SyncTestModel.resolved().entity(named: "Note"))
        let slot = try #require(entity.ownedLinks.first).slot
        let targets = [key(11), key(12), key(13)]
        let subsets = (0..<8).map { bits in targets.indices.filter { bits & (1 << $0) != 0 }.map { targets[$0] } }
        let values = entity.columns.map { _ in Value.null }
        for base in subsets {
            for mine in subsets {
                for theirs in subsets {
                    let entry = OutboxEntry(
                        objectID: noteID(1), kind: .update, sequence: 5, firstSequence: 5,
                        fields: [.init(name: "tags", sequence: 5, base: .links(base))])
                    let local = RecordImage(values: values, links: [slot: mine])
                    let outcome = RecordMerge(
                        objectID: noteID(1), entity: entity, resolver: ConflictResolutionPolicy.serverWins
                    )
                    .merge(
                        .init(entry: entry, image: local, mayHaveArrived: true),
                        with: RecordImage(values: values, links: [slot: theirs]))
                    var end = mine
                    if case .write(let image) = outcome.row { end = image.links[slot] ?? [] }
                    let expected = targets.filter { target in
                        let (was, here, there) = (base.contains(target), mine.contains(target), theirs.contains(target))
                        // The side that differs from before decides; both can differ only in the same way.
                        return here == was ? there : here
                    }
                    #expect(end == expected)
                    #expect((outcome.entry == nil) == (expected == theirs))
                    if let field = outcome.entry?.fields.first { #expect(field.base == .links(theirs)) }
                    #expect(outcome.conflicts.isEmpty)
                }
            }
        }
    }

    @Test("links removed after a push whose answer was lost stay removed")
    func echo() throws {
        let entity = try #require(SyncTestModel.resolved().entity(named: "Note"))
        let slot = try #require(entity.ownedLinks.first).slot
        let values = entity.columns.map { _ in Value.null }
        let entry = OutboxEntry(
            objectID: noteID(1), kind: .update, sequence: 7, firstSequence: 5,
            fields: [.init(name: "tags", sequence: 7, base: .links([]))])
        let outcome = RecordMerge(objectID: noteID(1), entity: entity, resolver: ConflictResolutionPolicy.serverWins)
            .merge(
                .init(
                    entry: entry, image: RecordImage(values: values, links: [slot: []]), mayHaveArrived: true,
                    traces: [["tags": FieldDigest(.links([key(11)]))]]),
                with: RecordImage(values: values, links: [slot: [key(11)]]))
        #expect(outcome.row == .keep)
        #expect(outcome.entry?.fields == [.init(name: "tags", sequence: 7, base: .links([key(11)]))])
    }
}
