import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("quotas in a race") struct QuotaRaceTests {
    @Test("fifty pushes at once take no more than the quota allows", arguments: StorageKind.allCases)
    func race(_ kind: StorageKind) async throws {
        try await withServer(
            on: kind,
            {
                $0.userQuotas.records = 100
                $0.userQuotas.requestsAtOnce = 64
                $0.userQuotas.requestsPerSecond = 10_000
            }
        ) { client, server in
            for zone in ["Y", "Z"] { try await client.makeZone(zone) }
            let taken = try await withThrowingTaskGroup(of: Int.self) { group in
                for push in 0..<50 {
                    group.addTask {
                        do {
                            let made = try await client.modify(
                                (0..<10).map { create("r\(push)-\($0)") }, zone: push.isMultiple(of: 2) ? "Z" : "Y")
                            return made.count { $0.error == nil }
                        } catch let error as WireError {
                            #expect([.quotaExceeded, .tryAgainLater].contains(error.code), "\(error)")
                            return 0
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(taken == 100)
            let found = try await client.follow(zone: "Y").records.count + client.follow().records.count
            #expect(found == taken)
        }
    }
}
