import Backstitch
import BackstitchSync
import CloudWire
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("subscriptions to what is followed", .scenario) struct FollowSubscriptionTests: ScenarioSuite {
    @Test("one that another device of the user has ended is there again within an hour, also where a feed is read")
    func endedByAnother() async throws {
        let (phone, tablet) = try s.pair([.syncDatabase: "public"])
        func subscriptions() async throws -> Int {
            try await phone.sync.services.client.call(
                .subscriptionsList, EmptyBody(), as: SubscriptionsResponse.self
            ).subscriptions.count
        }
        let low = try FetchRequest<TestNote>(where: "rank < 10")
        for device in [phone, tablet] {
            try await device.sync.following.start(low)
            try await device.sync.sync()
        }
        #expect(try await subscriptions() == 1)
        try await tablet.sync.following.stop(low)
        try await tablet.sync.sync()
        #expect(try await subscriptions() == 0)
        try await phone.sync.sync()
        #expect(try await subscriptions() == 0)
        try s.clock.advance(by: 3_700_000)
        try await phone.sync.sync()
        #expect(try await subscriptions() == 1)
        #expect(try await phone.sync.following.requests().map(\.state) == [.current])
    }
}
