import Backstitch
import BackstitchTestKit
import CloudWire
import Testing

@testable import BackstitchServer

/// The room for bytes of requests and answers is shared: a few users, or one machine, leave some to all others.
@Suite("bytes that are held") struct UserLedgerTests {
    private static let room = 128 << 20, megabyte = 1 << 20

    private var quotas: UserQuotas {
        var quotas = UserQuotas()
        quotas.requestsAtOnce = .max
        return quotas
    }

    /// Takes bytes as requests of 8 MB do, until they are refused.
    private func fill(_ ledger: UserLedger, _ user: String, _ address: String) -> (bytes: Int, error: WireErrorCode?) {
        var bytes = 0
        while true {
            var own = 0
            while own < 8 * Self.megabyte {
                do { try ledger.take(65_536, .bytes, of: user, from: address, besides: own, at: 0) } catch {
                    return (bytes + own, error.code)
                }
                own += 65_536
            }
            bytes += own
        }
    }

    @Test("three users have half of the room at most, and a fourth elsewhere has its share of the other half")
    func users() {
        let ledger = UserLedger(quotas, bytesOfAll: Self.room)
        let taken = (0..<3).map { fill(ledger, "m\($0)", "a\($0)") }
        #expect(taken[0].bytes == quotas.bytesAtOnce && taken.allSatisfy { $0.error == .throttled })
        #expect(taken.reduce(0) { $0 + $1.bytes } <= Self.room / 2 + Self.room / 8)
        for number in 0..<3 { #expect(fill(ledger, "u\(number)", "b\(number)").bytes == Self.room / 8) }
    }

    @Test("users of one address have half of the room at most, and those who hold little are let in there too")
    func address() {
        let ledger = UserLedger(quotas, bytesOfAll: Self.room)
        let taken = (0..<40).map { fill(ledger, "m\($0)", "a").bytes }
        // Each may have the first megabyte.
        #expect(taken.reduce(0, +) <= Self.room / 2 + 40 * Self.megabyte)
        #expect(taken.allSatisfy { $0 >= min(Self.megabyte, Self.room) })
        #expect(fill(ledger, "elsewhere", "b").bytes == 16 * Self.megabyte)
    }

    @Test("all that was taken can be given back")
    func givenBack() {
        let ledger = UserLedger(quotas, bytesOfAll: Self.room)
        for _ in 0..<3 {
            var all: [(user: String, bytes: Int)] = []
            for number in 0..<3 { all.append(("m\(number)", fill(ledger, "m\(number)", "a").bytes)) }
            #expect(all[0].bytes == quotas.bytesAtOnce)
            for (user, bytes) in all { ledger.giveBack(bytes, .bytes, of: user, at: "a") }
        }
    }

    @Test("one request alone is let in however large it is")
    func alone() throws {
        let ledger = UserLedger(quotas, bytesOfAll: 1_000)
        for own in stride(from: 0, to: 5_000, by: 100) {
            try ledger.take(100, .bytes, of: "u", from: "a", besides: own, at: 0)
        }
        #expect(throws: WireError.self) { try ledger.take(900, .bytes, of: "v", from: "b", besides: 0, at: 0) }
    }
}
