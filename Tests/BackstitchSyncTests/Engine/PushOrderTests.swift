import Backstitch
import BackstitchTestKit
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the order of sending")
struct PushOrderTests {
    @Test("new objects come after the new objects that they refer to, others keep their order")
    func parentsFirst() {
        let entries = [entry(1, .insert), entry(2, .update), entry(3, .insert), entry(4, .delete), entry(5, .insert)]
        let order = PushOrder.sorted(entries, targets: [[key(5)], [key(5)], [key(1)], [], []])
        #expect(order == [4, 0, 1, 2, 3])
    }

    @Test("circles are sent, each object once")
    func circle() {
        let entries = [entry(1, .insert), entry(2, .insert), entry(3, .insert)]
        let order = PushOrder.sorted(entries, targets: [[key(2)], [key(3)], [key(1)]])
        #expect(order.sorted() == [0, 1, 2])
    }

    @Test("a chain as long as a batch needs no deep stack")
    func chain() {
        let count: UInt64 = 100_000
        let entries = (0..<count).map { entry($0, .insert) }
        let order = PushOrder.sorted(entries, targets: (0..<count).map { [key($0 + 1)] })
        #expect(order == Array((0..<Int(count)).reversed()))
    }

    @Test("random graphs: every object once, parents first where there is no circle")
    func random() {
        let seed = SeededGenerator.seed()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let count = UInt64.random(in: 1...40, using: &random)
            let entries = (0..<count).map { number in
                entry(number, [.insert, .insert, .update, .delete].randomElement(using: &random) ?? .insert)
            }
            // Targets have higher numbers only, so there is no circle.
            let targets = (0..<count).map { number -> [ObjectKey] in
                number + 1 < count && Bool.random(using: &random)
                    ? [key(.random(in: number + 1..<count, using: &random))] : []
            }
            let order = PushOrder.sorted(entries, targets: targets)
            #expect(order.sorted() == Array(0..<Int(count)), "seed \(seed)")
            let place = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($0.element, $0.offset) })
            for (position, keys) in targets.enumerated() where entries[position].kind == .insert {
                for target in keys {
                    let other = Int(target.low & 0xFFFF)
                    guard entries[other].kind == .insert, let mine = place[position], let theirs = place[other] else {
                        continue
                    }
                    #expect(theirs < mine, "seed \(seed)")
                }
            }
        }
    }

    private func entry(_ number: UInt64, _ kind: OutboxEntry.Kind) -> OutboxEntry {
        OutboxEntry(objectID: noteID(number), kind: kind, sequence: 1, firstSequence: 1)
    }
}
