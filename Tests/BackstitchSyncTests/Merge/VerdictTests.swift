import Backstitch
import Testing

@testable import BackstitchSync

@Suite("the verdict about a piece of news")
struct VerdictTests {
    private static func facts(_ set: (inout NewsFacts) -> Void) -> NewsFacts {
        var facts = NewsFacts()
        set(&facts)
        return facts
    }

    /// One line for each row of the table in `Verdict.swift`.
    private static let rows: [(NewsFacts, Verdict)] = [
        (facts { ($0.isDeletion, $0.elsewhere) = (true, .explained) }, .leave),
        (facts { $0.isLeftover = true }, .echo),
        (facts { $0.elsewhere = .ownCopy }, .echo),
        (facts { $0.elsewhere = .unexplained }, .park),
        (facts { ($0.isDeletion, $0.mayHaveMoved) = (true, true) }, .keep),
        (facts { $0.knownTag = .skip }, .echo),
        (facts { ($0.change, $0.isDeletedVersion, $0.knownTag) = (.delete, true, .apply) }, .stand),
        (facts { ($0.isDeletion, $0.change, $0.losesChanges) = (true, .update, true) }, .takeBack),
        (facts { $0.change = .update }, .merge),
        (facts { ($0.isDeletion, $0.change) = (true, .delete) }, .merge),
        (facts { $0.isAway = true }, .follow),
        (facts { ($0.isDeletion, $0.isAway) = (true, true) }, .follow),
        (facts { $0.isWithdrawn = true }, .withdraw),
        (facts { _ in }, .apply),
        (facts { $0.elsewhere = .explained }, .apply),
        (facts { $0.isDeletion = true }, .delete),
    ]

    @Test("is that of the first row that fits")
    func table() {
        for (facts, verdict) in Self.rows { #expect(facts.verdict == verdict, "\(facts)") }
    }

    @Test("never loses an unsent change, deletes for a record, or applies a deletion, whatever comes together")
    func combinations() {
        var met: Set<String> = []
        for facts in Self.all {
            met.insert("\(facts.verdict)")
            #expect(Self.isSound(facts), "\(facts): \(facts.verdict)")
        }
        #expect(met.count == 11)
    }

    private static func isSound(_ facts: NewsFacts) -> Bool {
        switch facts.verdict {
        case .apply, .withdraw: !facts.isDeletion && facts.change == nil && !facts.isAway
        case .delete: facts.isDeletion && facts.change == nil && facts.elsewhere == nil && !facts.mayHaveMoved
        case .leave, .keep: facts.isDeletion
        case .park: !facts.isDeletion && facts.elsewhere == .unexplained
        case .takeBack: facts.isDeletion && facts.losesChanges && !facts.mayHaveMoved
        case .stand: facts.change == .delete
        case .follow: facts.change == nil && facts.isAway
        case .merge: facts.change != nil
        case .echo: !facts.isDeletion && (facts.isLeftover || facts.elsewhere == .ownCopy || facts.knownTag == .skip)
        }
    }

    /// All facts that can be together.
    private static let all: [NewsFacts] = {
        let kinds: [OutboxEntry.Kind?] = [nil, .insert, .update, .delete]
        let tags: [KnownTag?] = [nil, .skip, .compare, .acknowledged, .apply]
        var all: [NewsFacts] = []
        for place in [nil] + NewsFacts.Elsewhere.allCases {
            for kind in kinds {
                for bits in 0..<8 {
                    let both = facts {
                        ($0.elsewhere, $0.change) = (place, kind)
                        ($0.isAway, $0.isDeletion) = (bits & 1 > 0, bits & 2 > 0)
                        if $0.isDeletion, place == nil { $0.mayHaveMoved = bits & 4 > 0 }
                        if !$0.isDeletion { $0.isLeftover = bits & 4 > 0 }
                    }
                    all.append(both)
                    if both.isDeletion { all.append(lossy(both)) } else { all += records(like: both, tags) }
                }
            }
        }
        return all
    }()

    private static func lossy(_ facts: NewsFacts) -> NewsFacts {
        var facts = facts
        facts.losesChanges = facts.change != nil && facts.change != .delete
        return facts
    }

    private static func records(like facts: NewsFacts, _ tags: [KnownTag?]) -> [NewsFacts] {
        tags.flatMap { tag in
            [false, true].map { isOld in
                var facts = facts
                if facts.elsewhere == nil { facts.knownTag = tag }
                facts.isWithdrawn = isOld
                facts.isDeletedVersion = facts.elsewhere == nil && facts.change == .delete && isOld
                return facts
            }
        }
    }
}
