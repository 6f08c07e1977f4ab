import Backstitch
import BackstitchSQL
import Testing

@Suite("Outbox coalescing")
struct OutboxCoalescingTests {
    private let id = ObjectID(entityName: "Note", key: ObjectKey(high: 1, low: 2))

    /// Plays a log step by step, as a store does.
    private func play(_ log: [NaiveOutbox.Operation], isSynced: Bool, attempted: Int64) -> OutboxEntry? {
        var entry: OutboxEntry?
        var columns: [Value] = [.int(-1), .int(-2)]
        for (index, operation) in log.enumerated() {
            let number = Int64(index + 1)
            let rules = OutboxCoalescing(transaction: number, attempted: attempted)
            switch operation {
            case .insert:
                columns = [NaiveOutbox.value(number), NaiveOutbox.value(number)]
                entry = rules.entry(of: id, after: .inserted(columns: NaiveOutbox.names), existing: entry)
            case .delete:
                let content = zip(NaiveOutbox.names, columns).map { ($0, OutboxEntry.Base.value($1)) }
                entry = rules.entry(of: id, after: .deleted(content), existing: entry)
            case .setFirst, .setSecond:
                let field = operation == .setFirst ? 0 : 1
                let change = OutboxCoalescing.Change.updated([(NaiveOutbox.names[field], .value(columns[field]))])
                entry = rules.entry(of: id, after: change, existing: entry)
                columns[field] = NaiveOutbox.value(number)
            }
        }
        return entry
    }

    @Test("every possible log of up to six operations, cut at every sending, gives what its whole history says")
    func exhaustive() {
        var checked = 0
        for log in NaiveOutbox.logs(upTo: 6) {
            for isSynced in [false, true] where NaiveOutbox.isPossible(log, isSynced: isSynced) {
                for attempted in 0...Int64(log.count) {
                    let expected = NaiveOutbox(isSynced: isSynced, attempted: attempted).entry(of: id, after: log)
                    let found = play(log, isSynced: isSynced, attempted: attempted)
                    #expect(found == expected, "\(log), synced before: \(isSynced), attempted: \(attempted)")
                    checked += 1
                }
            }
        }
        #expect(checked > 3_000)
    }

    @Test("also logs that cannot happen give an entry of sound form")
    func impossibleLogs() throws {
        for log in NaiveOutbox.logs(upTo: 6) where !log.isEmpty {
            guard let entry = play(log, isSynced: false, attempted: 0) else {
                #expect(log.last == .delete)
                continue
            }
            #expect(entry.sequence == Int64(log.count))
            #expect(entry.firstSequence <= entry.sequence)
            #expect(entry.fields.map(\.name) == Set(entry.fields.map(\.name)).sorted())
            #expect(entry.kind != .delete || entry.fields.allSatisfy { $0.base == $0.base.digested })
            #expect(entry.fields.allSatisfy { $0.sequence >= entry.firstSequence && $0.sequence <= entry.sequence })
        }
    }

    @Test("a change takes an entry out of quarantine")
    func quarantineEnds() {
        let blocked = OutboxEntry(
            objectID: id, kind: .update, sequence: 3, firstSequence: 2,
            fields: [.init(name: "first", sequence: 3, base: .value(.int(1)))], blockedReason: "too large")
        let rules = OutboxCoalescing(transaction: 9, attempted: 0)
        let changes: [OutboxCoalescing.Change] = [
            .updated([("second", .value(.null))]), .deleted([("first", .value(.null))]), .inserted(columns: ["first"]),
        ]
        for change in changes {
            let entry = rules.entry(of: id, after: change, existing: blocked)
            #expect(entry?.blockedReason == nil)
            #expect(entry?.sequence == 9)
        }
    }

    @Test("a held save holds what is new or held already; any other save lets all of an object's changes go")
    func held() {
        let update = OutboxCoalescing.Change.updated([("first", .value(.int(1)))])
        func entry(_ change: OutboxCoalescing.Change, isHeld: Bool, _ existing: OutboxEntry?) -> OutboxEntry? {
            let number = (existing?.sequence ?? 0) + 1
            return OutboxCoalescing(transaction: number, attempted: 5, isHeld: isHeld)
                .entry(of: id, after: change, existing: existing)
        }
        let held = entry(update, isHeld: true, nil)
        #expect(held?.isHeld == true && held?.fields.map(\.name) == ["first"])
        #expect(entry(update, isHeld: true, held)?.isHeld == true)
        #expect(entry(.deleted([]), isHeld: true, held)?.isHeld == true)
        #expect(entry(update, isHeld: false, held)?.blockedReason == nil)
        // Waiting changes are sent. Changes refused by the server are tried again, with the additions of a held save.
        #expect(entry(update, isHeld: true, entry(update, isHeld: false, nil))?.blockedReason == nil)
        var refused = held
        refused?.blockedReason = "too large"
        #expect(entry(update, isHeld: true, refused)?.blockedReason == nil)
        // A held insert has never been sent, for any number of sends.
        let insert = entry(.inserted(columns: ["first"]), isHeld: true, nil)
        #expect(insert?.isHeld == true && entry(.deleted([]), isHeld: false, insert) == nil)
    }

    @Test("a field keeps its first base through later changes and takes the last sequence")
    func basesStay() {
        var entry: OutboxEntry?
        for (number, base) in [(4, 10), (5, 20), (6, 30)] as [(Int64, Int64)] {
            entry = OutboxCoalescing(transaction: number, attempted: 0)
                .entry(of: id, after: .updated([("size", .value(.int(base)))]), existing: entry)
        }
        #expect(entry?.fields == [.init(name: "size", sequence: 6, base: .value(.int(10)))])
        #expect(entry?.firstSequence == 4)
    }

    @Test("links that the inserting save makes are part of the insert; later ones are fields of it")
    func linksOfInserts() {
        let links = OutboxCoalescing.Change.updated([("tags", .links([]))])
        let rules = OutboxCoalescing(transaction: 5, attempted: 0)
        let inserted = rules.entry(of: id, after: .inserted(columns: ["first"]), existing: nil)
        #expect(rules.entry(of: id, after: links, existing: inserted) == inserted)
        let later = OutboxCoalescing(transaction: 6, attempted: 0).entry(of: id, after: links, existing: inserted)
        #expect(later?.kind == .insert)
        #expect(later?.fields == [.init(name: "tags", sequence: 6, base: .links([]))])
    }
}
