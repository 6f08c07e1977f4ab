import BackstitchTestKit
import Testing

@testable import Backstitch

@Suite("keys without a settled place")
struct UnsettledKeysTests {
    private let keys = (0..<4).map { ObjectKey(high: 0, low: $0) }

    @Test("each toggle puts a key in or takes it out, as with a set", arguments: [1, 2, 3] as [UInt64])
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var unsettled = UnsettledKeys(), expected: Set<ObjectKey> = []
        for _ in 0..<2_000 {
            let key = keys[Int.random(in: keys.indices, using: &random)]
            if Int.random(in: 0..<3, using: &random) == 0 {
                unsettled.remove(key)
                expected.remove(key)
            } else {
                unsettled.toggle(key, isNew: Bool.random(using: &random))
                expected.formSymmetricDifference([key])
            }
            #expect(unsettled.isEmpty == expected.isEmpty)
            for other in keys {
                #expect(unsettled.isEmpty(but: other) == expected.subtracting([other]).isEmpty)
                #expect(!unsettled.isNew(other) || expected.contains(other))
            }
            #expect(unsettled.isEmpty(but: nil) == expected.isEmpty)
        }
    }

    @Test("a key is new from its link until it gets its place, or the link is taken away")
    func newcomers() {
        var unsettled = UnsettledKeys()
        unsettled.toggle(keys[0], isNew: true)
        #expect(unsettled.isNew(keys[0]) && !unsettled.isNew(keys[1]))
        unsettled.remove(keys[0])
        #expect(!unsettled.isNew(keys[0]))
        unsettled.toggle(keys[0], isNew: false)
        #expect(!unsettled.isNew(keys[0]))
        unsettled.toggle(keys[0], isNew: true)
        #expect(!unsettled.isNew(keys[0]) && unsettled.isEmpty)
    }
}
