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

    @Test(
        "at the end the last digit counts up, and carries",
        arguments: [
            ("a0", "a1"), ("a9", "aA"), ("aZ", "aa"), ("az", "b00"), ("b0z", "b10"), ("a0V", "a1"), ("Zz", "a0"),
            ("Zy", "Zz"),
        ])
    func counting(rank: String, next: String) throws {
        let rank = try #require(Rank(.string(rank)))
        #expect(Rank(after: rank, before: nil)?.text == next)
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

    @Test("many ranks between two neighbours rise, and are a few characters longer", arguments: [0, 1, 2, 61, 30_000])
    func spread(count: Int) throws {
        let a = try #require(Rank(.string("a0"))), b = try #require(Rank(.string("a0V")))
        let far = try #require(Rank(.string("c01z")))
        for (lower, upper) in [(nil, nil), (a, nil), (nil, a), (a, b), (a, far), (b, far)] as [(Rank?, Rank?)] {
            let ranks = try #require(Rank.spread(count, after: lower, before: upper))
            #expect(ranks.count == count)
            let all = [lower].compactMap { $0 } + ranks + [upper].compactMap { $0 }
            #expect(zip(all, all.dropFirst()).allSatisfy(<))
            #expect(ranks.allSatisfy { Rank(Value.string($0.text)) == $0 && $0.text.utf8.count <= 9 })
        }
        #expect(Rank.spread(1, after: a, before: a) == nil)
    }

    @Test("to arrange ranks changes as few as possible, and makes none long")
    func arranging() throws {
        let ranks = try #require(Rank.spread(1_000, after: nil, before: nil)).map(Optional.some)
        #expect(try Rank.rearranged(ranks) == ranks.compactMap { $0 })
        var moved = ranks
        moved.insert(moved.removeLast(), at: 0)
        moved[500] = nil
        let result = try Rank.rearranged(moved)
        #expect(zip(result, result.dropFirst()).allSatisfy(<))
        #expect(zip(result, moved).filter { $0 != $1 }.count == 2)
        var reversed = Array(ranks.reversed())
        for _ in 0..<20 {
            let next = try Rank.rearranged(reversed)
            #expect(zip(next, next.dropFirst()).allSatisfy(<))
            #expect(next.allSatisfy { $0.text.utf8.count <= 8 })
            reversed = next.reversed().map(Optional.some)
        }
        // Long ones, as others may have made them, are given up.
        let long = try [Rank(.string("a0")), nil, Rank(.string("a0" + String(repeating: "0", count: 50) + "1"))]
            .map { $0 }
        #expect(try Rank.rearranged(long).allSatisfy { !$0.isLong })
    }
}
