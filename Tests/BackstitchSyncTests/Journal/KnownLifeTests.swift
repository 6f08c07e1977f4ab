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
        // A life that was never known, or is not told any more, proves nothing; nor does a server that has begun to
        // name lives.
        for life in [ZoneLife.unknown, .marked("m"), .unsubscribed] { #expect(!named.isOver(life), "\(life)") }
        for life in [ZoneLife.unknown, .named("1")] { #expect(!marked.isOver(life), "\(life)") }
        for life in [ZoneLife.unknown, .named("1"), .marked("m"), .unsubscribed] { #expect(!KnownLife().isOver(life)) }
    }

    @Test("a record that the server has taken is the anchor of a zone of which nothing was read yet")
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
        func anchor() throws -> ZoneAnchor? { try bench.store.readJournal { try $0.zoneAnchor() } }
        try push(1, made: 1_000)
        #expect(try anchor()?.key == key(1) && anchor()?.created == 1_000)
        // The first one stays: of it the device knows longest when it was made.
        try push(2, made: 2_000)
        #expect(try anchor()?.key == key(1))
        try bench.store.writeJournal(author: "test") { journal in
            try journal.remove(.anchor)
            try journal.set(.incarnation, to: "life")
        }
        try push(3, made: 3_000)
        #expect(try anchor() == nil)
    }

    @Test("what a full read must have met before what it has not met is deleted")
    func findings() {
        let named = KnownLife(incarnation: "1", mark: nil), marked = KnownLife(incarnation: nil, mark: "m")
        #expect(named.isProven(byMeeting: 0))
        #expect(!marked.isProven(byMeeting: 0) && marked.isProven(byMeeting: 1))
        #expect(!KnownLife().isProven(byMeeting: 1_000))
    }
}
