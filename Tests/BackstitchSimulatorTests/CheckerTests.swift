import Backstitch
import BackstitchServer
import BackstitchSimulator
import Testing

@Suite("checkers")
struct CheckerTests {
    private let a = ObjectKey(high: 1, low: 1), b = ObjectKey(high: 1, low: 2)

    @Test("a register that shrinks before the eyes of a device is a fault")
    func shrinking() {
        var checker = RegisterChecker()
        #expect(checker.read("x", [a: 5]) == [])
        #expect(checker.read("y", [a: 4]) == [])
        #expect(checker.read("x", [a: 4]).count == 1)
    }

    @Test("a device that does not see its own write is a fault")
    func ownWrite() {
        var checker = RegisterChecker()
        checker.wrote("x", a, 7, isKnown: true)
        #expect(checker.read("x", [a: 6]).count == 1)
    }

    @Test("replicas at one point of the feed that show different things are a fault, at different points they are none")
    func replicas() {
        var checker = ReplicaChecker()
        func place(_ sequence: Int64, model: Int = 1, epoch: Int64 = 1) -> ReplicaChecker.Place {
            .init(modelVersion: model, position: FeedPosition(epoch: epoch, sequence: sequence))
        }
        #expect(checker.saw("x", ["a"], at: place(1)) == nil)
        #expect(checker.saw("y", ["a"], at: place(1)) == nil)
        #expect(checker.saw("x", ["b"], at: place(2)) == nil)
        #expect(checker.saw("y", ["c"], at: place(2, model: 2)) == nil)
        #expect(checker.saw("y", ["c"], at: place(2, epoch: 2)) == nil)
        #expect(checker.saw("y", ["a"], at: place(2))?.contains("x had [\"b\"], and y has [\"a\"]") == true)
        #expect(checker.saw("x", ["a", "b"], at: place(1)) != nil)
    }

    @Test("a register that vanishes is a fault")
    func vanishing() {
        var checker = RegisterChecker()
        _ = checker.read("x", [a: 1, b: 1])
        #expect(checker.read("x", [b: 1]).count == 1)
    }

    @Test("a write of which nobody knows may be there or not")
    func unknown() {
        var checker = RegisterChecker()
        checker.wrote("x", a, 3, isKnown: true)
        checker.wrote("x", a, 9, isKnown: false)
        #expect(checker.read("x", [a: 3]) == [])
        #expect(checker.end([a: 3]) == [])
        #expect(checker.end([a: 9]) == [])
        #expect(checker.end([a: 10]).count == 1)
        #expect(checker.end([a: 2]).count == 1)
        #expect(checker.end([:]).count == 1)
    }

    @Test("half a transfer, and one that does not sum to nothing, are faults")
    func transfers() {
        #expect(BankChecker.faults(in: [("t", 5), ("t", -5)], seenBy: "x") == [])
        #expect(BankChecker.faults(in: [("t", 5)], seenBy: "x").count == 1)
        #expect(BankChecker.faults(in: [("t", 5), ("t", -4)], seenBy: "x").count == 1)
        #expect(BankChecker.faults(in: [("t", 5), ("t", -5), ("t", 0)], seenBy: "x").count == 1)
        #expect(BankChecker.faults(in: [("t", 5), ("u", -5)], seenBy: "x").count == 2)
    }

    @Test("after a power cut a device may see what it saw at the commit that is left, and nothing older")
    func registersAfterPowerCut() {
        let key = ObjectKey(high: 1, low: 1)
        var checker = RegisterChecker()
        checker.wrote("x", key, 3, isKnown: true, at: 3)
        checker.wrote("x", key, 5, isKnown: true, at: 5)
        checker.wrote("x", key, 7, isKnown: true, at: 7)
        var kept = checker
        checker.cut("x", after: 5) { _, _ in false }
        #expect(checker.read("x", [key: 5], at: 8) == [])
        #expect(checker.read("x", [key: 3], at: 8).count == 1)
        #expect(checker.end([key: 5]) == [])
        #expect(checker.end([key: 3]).count == 1)
        kept.cut("x", after: 5) { $1 == 7 }
        #expect(kept.end([key: 5]).count == 1, "the server has had it")
    }

    @Test("a token may go back by a power cut, and from there forward only")
    func tokensAfterPowerCut() {
        var checker = PushChecker()
        #expect(checker.stored("x", FeedPosition(epoch: 1, sequence: 5)) == nil)
        checker.wentBack("x", to: FeedPosition(epoch: 1, sequence: 3))
        #expect(checker.stored("x", FeedPosition(epoch: 1, sequence: 2)) != nil)
        checker.wentBack("x", to: FeedPosition(epoch: 1, sequence: 3))
        #expect(checker.stored("x", FeedPosition(epoch: 1, sequence: 4)) == nil)
    }

    @Test("a push that is carried out twice is a fault, a repeated answer is none")
    func pushes() {
        var checker = PushChecker()
        #expect(checker.answered("k", hasCommitted: true) == nil)
        #expect(checker.answered("k", hasCommitted: false) == nil)
        #expect(checker.answered("l", hasCommitted: true) == nil)
        #expect(checker.answered("k", hasCommitted: true) != nil)
    }

    @Test("a push that names no token may be carried out again once its answer is forgotten, and no other one may")
    func forgottenAnswers() {
        var checker = PushChecker()
        #expect(checker.answered("k", hasCommitted: true, tokenless: 5) == nil)
        #expect(checker.answered("l", hasCommitted: true) == nil)
        #expect(checker.answered("m", hasCommitted: true, tokenless: 7) == nil)
        checker.forgotAnswers(before: 7)
        #expect(checker.answered("k", hasCommitted: true, tokenless: 9) == nil)
        #expect(checker.answered("l", hasCommitted: true) != nil)
        #expect(checker.answered("m", hasCommitted: true, tokenless: 9) != nil)
        #expect(checker.answered("k", hasCommitted: true, tokenless: 10) != nil)
    }

    @Test("a token that goes back within an epoch is a fault")
    func tokens() {
        var checker = PushChecker()
        #expect(checker.stored("x", FeedPosition(epoch: 1, sequence: 5)) == nil)
        #expect(checker.stored("y", FeedPosition(epoch: 1, sequence: 2)) == nil)
        #expect(checker.stored("x", FeedPosition(epoch: 2, sequence: 1)) == nil)
        #expect(checker.stored("x", FeedPosition(epoch: 2, sequence: 0)) != nil)
        #expect(checker.stored("x", nil) == nil)
        #expect(checker.stored("x", FeedPosition(epoch: 2, sequence: 0)) == nil)
    }

    @Test("situations that never came about are named")
    func situations() {
        var situations = Situations()
        #expect(situations.missing.count == Situations.expected.count)
        for name in Situations.expected { situations.note(name) }
        #expect(situations.missing == [])
    }
}
