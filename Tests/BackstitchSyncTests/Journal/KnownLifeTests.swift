import Backstitch
import BackstitchSQL
import CloudWire
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("how one life of a zone is told from another")
struct KnownLifeTests {
    @Test("only what is certainly another life is taken for one")
    func over() {
        let named = KnownLife(incarnation: "1", mark: nil), marked = KnownLife(incarnation: nil, mark: "m")
        #expect(named.isOver(.named("2")) && !named.isOver(.named("1")))
        #expect(marked.isOver(.marked("n")) && !marked.isOver(.marked("m")))
        #expect(marked.isOver(.unsubscribed))
        // A life that was never known, or is no longer reported, proves nothing. The same holds for a server that has
        // just begun to name lives.
        for life in [ZoneLife.unknown, .marked("m"), .unsubscribed] { #expect(!named.isOver(life), "\(life)") }
        for life in [ZoneLife.unknown, .named("1")] { #expect(!marked.isOver(life), "\(life)") }
        for life in [ZoneLife.unknown, .named("1"), .marked("m"), .unsubscribed] { #expect(!KnownLife().isOver(life)) }
    }

    @Test("a zone whose records were made anew is another one, whichever of them this device has deleted itself")
    func anchors() throws {
        let bench = try JournalBench()
        try bench.store.writeJournal(author: "test") { try $0.remove(.incarnation) }
        func records(_ numbers: ClosedRange<UInt64>, made created: Int64) -> [WireRecord] {
            numbers.map { number in
                var record = record(number, "t", ["title": .string("a")])
                record.created = WireStamp(timestamp: created)
                return record
            }
        }
        func isOther(_ records: [WireRecord]) throws -> Bool {
            let news = RemoteChange.list(records, zone: bench.settings.zone)
            return try bench.store.readJournal { try $0.zoneAnchors().isOfAnotherLife(news) }
        }
        try bench.apply(records(1...20, made: 1_000))
        #expect(try !isOther(records(1...20, made: 1_000)) && isOther(records(1...20, made: 2_000)))
        try bench.delete(1)
        try bench.pushAll()
        #expect(try !isOther(records(2...20, made: 1_000)) && isOther(records(2...20, made: 2_000)))
        // Those that are gone make room for others.
        try bench.apply((1...20).map { tombstone($0) })
        try bench.apply(records(30...30, made: 3_000))
        #expect(try isOther(records(30...30, made: 4_000)) && !isOther(records(1...20, made: 4_000)))
    }

    @Test("a record that the server has taken is an anchor of a zone of which nothing was read yet")
    func anchorOfPush() throws {
        let bench = try JournalBench()
        try bench.store.writeJournal(author: "test") { try $0.remove(.incarnation) }
        func push(_ number: UInt64, made created: Int64) throws {
            try bench.insert(number, ["title": "a"])
            let batch = try #require(try bench.prepare().batch)
            var record = WireRecord(recordName: key(number).uuidString)
            record.created = WireStamp(timestamp: created)
            var reply = PushReply(answers: [.done(changeTag: "t\(number)")])
            reply.anchor = ZoneAnchor(key(number), record)
            try bench.settle(batch, reply)
        }
        func anchors() throws -> [ObjectKey: Int64] { try bench.store.readJournal { try $0.zoneAnchors().created } }
        try push(1, made: 1_000)
        #expect(try anchors() == [key(1): 1_000])
        // The first ones stay: of them the device knows longest when they were made.
        for number in UInt64(2)...12 { try push(number, made: Int64(number) * 1_000) }
        #expect(try Set(anchors().keys) == Set((1...8).map { key($0) }))
        try bench.store.writeJournal(author: "test") { journal in
            try journal.remove(.anchors)
            try journal.set(.incarnation, to: "life")
        }
        try push(13, made: 3_000)
        #expect(try anchors().isEmpty)
    }

    @Test("what a full read must have met before what it has not met is deleted")
    func findings() {
        let named = KnownLife(incarnation: "1", mark: nil), marked = KnownLife(incarnation: nil, mark: "m")
        #expect(named.isProven(byMeeting: 0))
        #expect(!marked.isProven(byMeeting: 0) && marked.isProven(byMeeting: 1))
        #expect(!KnownLife().isProven(byMeeting: 1_000))
    }
}
