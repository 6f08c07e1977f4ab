import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

extension PeerTests {
    @Test("a device at one server hears of records that fit its query and came to another")
    func queries() async throws {
        try await withTwo { pair in
            #expect(try await pair.connected())
            try await pair.first.makeZone()
            let done = QueryFilter("done", .equals, .int64(1))
            let device = try await WaitingDevice(pair.first)
            try await pair.first.mustSubscribe(wish("q", [done]))
            try await pair.first.mustSubscribe(wish("once", once: true))
            try await pair.services[0].notifier.lookAtPeers()
            _ = try await device.all()

            async let heard = device.next(wait: 60)
            #expect(try await eventually { pair.services[0].context.push.hub.waiting == 1 })
            try await pair.second.save("A", ["done": .int64(1)])
            let first = try #require(try await heard), second = try #require(try await device.next(wait: 30))
            // One that has fired and is gone leaves only that.
            #expect(Set([first.news, second.news]) == ["q create A", "once * *"])
            let list: SubscriptionsResponse = try await pair.first.call(.subscriptionsList)
            #expect(list.subscriptions.count == 1)

            // Several news between two looks are told as one.
            try await pair.second.modify([create("B", ["done": .int64(1)]), create("C", ["done": .int64(1)])])
            #expect(try await device.next(wait: 30)?.news == "q * *")
            // A record that does not match notifies no device, even after a look.
            try await pair.second.save("D", ["done": .int64(0)])
            try await pair.services[0].notifier.lookAtPeers()
            #expect(try await device.news() == [])
            // A device that its own server has told is not told again.
            try await pair.first.save("E", ["done": .int64(1)])
            #expect(try await device.news() == ["q create E"])
            try await pair.services[0].notifier.lookAtPeers()
            #expect(try await device.news() == [])
        }
    }
    @Test("news of another server are not lost by news of one's own that come before they are heard")
    func both() async throws {
        try await withTwo({ $0.usesNotifications = false }) { pair in
            try await pair.first.makeZone()
            let device = try await WaitingDevice(pair.first)
            #expect(try await device.news() == [])
            try await pair.first.mustSubscribe(wish("q"))
            try await pair.first.modify([create("A"), create("B")])
            #expect(try await device.news() == ["q create A", "q create B"])
            try await pair.services[0].notifier.lookAtPeers()
            #expect(try await device.news() == [])

            try await pair.second.save("X")
            await pair.services[1].context.push.stage.settle()
            try await pair.first.save("Y")
            #expect(try await device.news() == ["q create Y"])
            try await pair.services[0].notifier.lookAtPeers()
            #expect(try await device.news() == ["q * *"])

            try await pair.first.save("C")
            #expect(try await device.news() == ["q create C"])
            try await pair.services[0].notifier.lookAtPeers()
            #expect(try await device.news() == [])
            try await pair.second.save("D")
            await pair.services[1].context.push.stage.settle()
            try await pair.services[0].notifier.lookAtPeers()
            #expect(try await device.news() == ["q create D"])
        }
    }
}
