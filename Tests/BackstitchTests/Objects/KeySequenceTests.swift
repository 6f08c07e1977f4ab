import BackstitchTestKit
import Testing

@testable import Backstitch

@Suite("sequences of keys")
struct KeySequenceTests {
    @Test("a sequence does as an array does", arguments: [.random(in: 1...UInt64.max), 1, 2] as [UInt64])
    func comparedWithArray(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Some begin empty, some with many runs.
        var expected = (0..<[0, 3, 5_000][Int(seed % 3)]).map { ObjectKey(high: 0, low: UInt64($0)) }
        let sequence = KeySequence(expected)
        for step in 0..<4_000 {
            let key = ObjectKey(high: 1, low: UInt64(step)), count = expected.count
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                sequence.append(key)
                expected.append(key)
            case 1...2:
                // Half of them at one place.
                let place = Bool.random(using: &random) ? count / 3 : Int.random(in: 0...count, using: &random)
                sequence.insert(key, at: place)
                expected.insert(key, at: place)
            case 3...4 where count > 0:
                let place = Int.random(in: 0..<count, using: &random)
                #expect(sequence[place] == expected[place])
                #expect(sequence.remove(expected.remove(at: place)))
            default:
                #expect(!sequence.remove(key) && !sequence.contains(key))
                if let some = expected.randomElement(using: &random) { #expect(sequence.contains(some)) }
            }
            #expect(sequence.count == expected.count && sequence.last == expected.last, "seed \(seed), step \(step)")
            if step % 200 == 0 { try #require(sequence.keys == expected, "seed \(seed), step \(step)") }
        }
        #expect(sequence.keys == expected, "seed \(seed)")
        for key in expected { #expect(sequence.remove(key)) }
        #expect(sequence.count == 0 && sequence.keys.isEmpty && sequence.last == nil)
    }
}
