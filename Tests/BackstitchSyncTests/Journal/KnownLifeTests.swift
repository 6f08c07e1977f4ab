import Backstitch
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

    @Test("what a full read must have met before what it has not met is deleted")
    func findings() {
        let named = KnownLife(incarnation: "1", mark: nil), marked = KnownLife(incarnation: nil, mark: "m")
        #expect(named.isProven(byMeeting: 0))
        #expect(!marked.isProven(byMeeting: 0) && marked.isProven(byMeeting: 1))
        #expect(!KnownLife().isProven(byMeeting: 1_000))
    }
}
