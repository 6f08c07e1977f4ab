import BackstitchTestKit
import Testing

@testable import Backstitch

@Suite("ranks")
struct RankTests {
    @Test("a rank lies between any two neighbours, wherever others were put before", arguments: [1, 2, 3] as [UInt64])
    func between(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var ranks: [Rank] = []
        for _ in 0..<3_000 {
            // Half of them at few places, where ranks are dense.
            let place = Bool.random(using: &random) ? Int.random(in: 0...ranks.count, using: &random) : ranks.count / 3
            let lower = place > 0 ? ranks[place - 1] : nil, upper = place < ranks.count ? ranks[place] : nil
            let rank = try #require(Rank(after: lower, before: upper))
            if let lower { #expect(lower < rank) }
            if let upper { #expect(rank < upper) }
            #expect(Rank(Value.string(rank.text)) == rank)
            ranks.insert(rank, at: place)
        }
        #expect(Set(ranks).count == ranks.count)
    }

    @Test("ranks at the ends stay short: five characters after 100,000")
    func short() throws {
        for atEnd in [true, false] {
            var rank: Rank?
            for _ in 0..<100_000 {
                let next = try #require(Rank(after: atEnd ? rank : nil, before: atEnd ? nil : rank))
                if let rank { #expect(atEnd ? rank < next : next < rank) }
                rank = next
            }
            #expect(try #require(rank).text.utf8.count <= 5)
        }
    }

    @Test("beyond the largest and smallest integer, ranks go on")
    func ends() throws {
        let largest = try #require(Rank(.string("z" + String(repeating: "z", count: 26))))
        #expect(try largest < #require(Rank(after: largest, before: nil)))
        let small = try #require(Rank(.string("A" + String(repeating: "0", count: 25) + "1")))
        let smaller = try #require(Rank(after: nil, before: small))
        #expect(smaller < small)
        #expect(try #require(Rank(after: nil, before: smaller)) < smaller)
    }

    @Test(
        "what is no rank is none, and there is nothing between two that are not in order",
        arguments: ["", "0", "a", "a0 ", "b0", "a00", "ä0", "A00000000000000000000000000"])
    func invalid(text: String) throws {
        #expect(Rank(Value.string(text)) == nil)
        let rank = try #require(Rank(after: nil, before: nil))
        #expect(Rank(after: rank, before: rank) == nil)
    }
}
