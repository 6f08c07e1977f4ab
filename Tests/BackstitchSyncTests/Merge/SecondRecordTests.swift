import Testing

@testable import BackstitchSync

@Suite("the decision about a parked record of an object in another zone")
struct SecondRecordTests {
    private static func facts(_ set: (inout SecondRecordFacts) -> Void) -> SecondRecordFacts {
        var facts = SecondRecordFacts()
        set(&facts)
        return facts
    }

    /// Facts with which the two records of an object are compared.
    private static func ready(_ set: (inout SecondRecordFacts) -> Void) -> SecondRecordFacts {
        facts {
            ($0.areZonesRead, $0.mayBeOfOwner, $0.mayMove) = (true, true, true)
            set(&$0)
        }
    }

    /// One line or more for each row of the table in `SecondRecordDecision.swift`.
    private static let rows: [(SecondRecordFacts, SecondRecordDecision)] = [
        (facts { $0.object = .notElsewhere }, .arrive),
        (facts { ($0.object, $0.isNamed) = (.gone, true) }, .arrive),
        (facts { ($0.object, $0.mayBeOfOwner) = (.gone, true) }, .arrive),
        (facts { $0.object = .gone }, .wait),
        (facts { $0.object = .deleted }, .wait),
        (ready { $0.areZonesRead = false }, .wait),
        (ready { $0.isTold = true }, .stay),
        (ready { ($0.object, $0.isTold) = (.deleted, true) }, .stay),
        (ready { $0.isIdentifiedByValues = true }, .tell),
        (ready { $0.mayBeOfOwner = false }, .tell),
        (ready { ($0.object, $0.mayBeOfOwner) = (.gone, false) }, .tell),
        (ready { $0.mayMove = false }, .tell),
        (ready { $0.isNew = true }, .giveTime),
        (ready { ($0.object, $0.isNew) = (.deleted, true) }, .giveTime),
        (ready { ($0.isNew, $0.mayBeOfThisDevice) = (true, true) }, .ask),
        (ready { $0.object = .deleted }, .arrive),
        (ready { $0.object = .unsent }, .arrive),
        (ready { _ in }, .ask),
    ]

    @Test("is that of the first row that fits")
    func table() {
        for (facts, decision) in Self.rows { #expect(facts.decision == decision, "\(facts)") }
    }

    @Test("never takes an object out of its zone too early, or for a stranger, whatever comes together")
    func combinations() {
        var met: Set<String> = []
        for facts in Self.all {
            met.insert("\(facts.decision)")
            #expect(Self.isSound(facts), "\(facts): \(facts.decision)")
        }
        #expect(met.count == 6)
    }

    private static func isSound(_ facts: SecondRecordFacts) -> Bool {
        let isLeft = facts.object == .notElsewhere
        switch facts.decision {
        case .arrive:
            // The record is explained, or all zones were read without an explanation.
            return isLeft || facts.object == .gone && facts.isNamed
                || facts.mayBeOfOwner
                    && (facts.object == .gone || facts.areZonesRead && facts.mayMove && !facts.isTold)
        case .ask: return facts.object == .known && facts.areZonesRead && facts.mayBeOfOwner && facts.mayMove
        case .wait: return !facts.areZonesRead && !isLeft
        case .stay: return facts.isTold && facts.areZonesRead && !isLeft
        case .tell: return !facts.isTold && facts.areZonesRead && !isLeft
        case .giveTime: return facts.isNew && !facts.mayBeOfThisDevice && facts.areZonesRead
        }
    }

    private static let all: [SecondRecordFacts] = SecondRecordFacts.Object.allCases.flatMap { object in
        (0..<256).map { bits in
            facts {
                $0.object = object
                ($0.isNamed, $0.mayBeOfOwner) = (bits & 1 > 0, bits & 2 > 0)
                ($0.areZonesRead, $0.isTold) = (bits & 4 > 0, bits & 8 > 0)
                ($0.isIdentifiedByValues, $0.mayMove) = (bits & 16 > 0, bits & 32 > 0)
                ($0.mayBeOfThisDevice, $0.isNew) = (bits & 64 > 0, bits & 128 > 0)
            }
        }
    }
}
