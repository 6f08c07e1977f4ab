import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// APNs' answers to pushes, and what becomes of the device and the push.
@Suite struct WakeAnswerTests {
    private func with(_ body: (WakeWorld) async throws -> Void) async throws {
        try await WakeWorld.with({ $0.clock = JumpingClock() }) { world in
            try await world.client.register()
            try await world.client.subscribeToZone()
            try await body(world)
        }
    }

    @Test("a push that APNs does not take now is sent again, the same one, as often as helps")
    func repeated() async throws {
        try await with { world in
            for answer in [
                FakeAPNs.Answer(status: 429, reason: "TooManyRequests", retryAfter: 3),
                .init(status: 500, reason: "InternalServerError"), .init(status: 503, reason: "Shutdown"),
            ] {
                world.apns.forget()
                world.apns.answer(answer, answer)
                let start = try world.service().context.clock.milliseconds()
                try await world.client.save("\(answer.status)")
                let pushes = try await world.apns.wait(for: 3)
                #expect(try await world.settled() && world.apns.received.count == 3)
                #expect(Set(pushes.map { $0.headers["apns-id"] }).count == 1)
                #expect(Set(pushes.map(\.body)).count == 1)
                let waited = try world.service().context.clock.milliseconds() - start
                #expect(waited >= (answer.retryAfter == nil ? 1_500 : 6_000), "\(waited)")
            }
            world.apns.forget()
            let never = FakeAPNs.Answer(status: 503, reason: "ServiceUnavailable")
            world.apns.answer(never, never, never, never, never, never, never, never)
            try await world.client.save("never")
            #expect(try await world.apns.wait(for: WakeSending.attempts).count == WakeSending.attempts)
            #expect(try await world.settled())
            world.apns.answer()
            world.apns.forget()
            try await world.client.save("again")
            #expect(try await world.apns.wait(for: 1).count == 1)
            #expect(try await world.devices().count == 1)
        }
    }

    @Test("a device without the app is forgotten, unless it has registered again since")
    func unregistered() async throws {
        try await with { world in
            let registered = try #require(try await world.devices().first).registered
            world.apns.answer(.init(status: 410, reason: "Unregistered", timestamp: registered - 1))
            try await world.client.save("A")
            _ = try await world.apns.wait(for: 1)
            #expect(try await world.settled())
            try await world.client.save("B")
            _ = try await world.apns.wait(for: 2)
            #expect(try await world.devices().count == 1)
            for answer in [
                FakeAPNs.Answer(status: 410, reason: "ExpiredToken", timestamp: .max),
                .init(status: 410, reason: "Unregistered"), .init(status: 400, reason: "BadDeviceToken"),
            ] {
                try await world.client.register()
                world.apns.answer(answer)
                try await world.client.save("\(answer)".prefix(200).filter(\.isLetter))
                #expect(try await eventually { try await world.devices().isEmpty }, "\(answer)")
            }
            let count = world.apns.received.count
            try await world.client.save("nobody")
            #expect(try await world.settled() && world.apns.received.count == count)
        }
    }

    @Test("a token of the server's own that has ended is made anew at once, and other refusals are not repeated")
    func refused() async throws {
        try await with { world in
            try await world.client.save("A")
            let first = try await world.apns.wait(for: 1)[0]
            // Two tokens of one second are the same but for their signatures.
            world.apns.answer(.init(status: 403, reason: "ExpiredProviderToken"))
            try await world.client.save("B")
            let pushes = try await world.apns.wait(for: 3)
            #expect(pushes[1].authorization == first.authorization && pushes[2].authorization != first.authorization)
            #expect(pushes[1].headers["apns-id"] == pushes[2].headers["apns-id"])
            _ = try world.apns.open(pushes[2].authorization)
            world.apns.forget()
            let reasons = ["InvalidProviderToken", "BadTopic", "DeviceTokenNotForTopic", "PayloadTooLarge", "<html>"]
            for (count, reason) in reasons.enumerated() {
                world.apns.answer(.init(status: count == 0 ? 403 : 400, reason: reason))
                try await world.client.save("refused \(count)")
                #expect(try await world.apns.wait(for: count + 1).count == count + 1)
            }
            try await world.client.save("last")
            #expect(try await world.apns.wait(for: 6).count == 6)
            #expect(try await world.devices().count == 1)
        }
    }

    @Test("an APNs that cannot be reached, or that has another certificate, costs commits nothing")
    func unreachable() async throws {
        try await FakeAPNs.with { apns in
            var away = try apns.configuration(), foreign = away
            away.endpoint = URL(string: "https://127.0.0.1:1")
            foreign.trustRoots = nil
            for configuration in [away, foreign] {
                try await withServer({
                    $0.apns = configuration
                    $0.clock = JumpingClock()
                }) { client, server in
                    try await client.makeZone()
                    try await client.register()
                    try await client.subscribeToZone()
                    for number in 0..<3 { try await client.save("r\(number)") }
                    let service = try #require(server.state.withLock { $0.service })
                    #expect(try await eventually { service.context.push.wake?.queue.count == 0 })
                }
            }
            #expect(apns.received.isEmpty)
        }
    }

    @Test(
        "answers are read as Apple documents them",
        arguments: [
            (200, "", nil, .accepted), (410, #"{"reason":"Unregistered","timestamp":7}"#, nil, .unregistered(since: 7)),
            (400, #"{"reason":"BadDeviceToken"}"#, nil, .unregistered(since: nil)),
            (403, #"{"reason":"ExpiredProviderToken"}"#, nil, .expiredToken),
            (429, #"{"reason":"TooManyRequests"}"#, "2", .again(reason: "TooManyRequests", after: 2_000)),
            (503, "<html>", nil, .again(reason: "status 503", after: nil)),
            (500, "", "soon", .again(reason: "status 500", after: nil)),
            (503, "", "99999999999", .again(reason: "status 503", after: 3_600_000)),
            (404, #"{"reason":"BadPath"}"#, nil, .refused(reason: "BadPath")),
            (200, #"{"reason":"x"}"#, nil, .accepted), (301, "", nil, .refused(reason: "status 301")),
        ] as [(Int, String, String?, APNsAnswer)])
    func answers(_ status: Int, _ body: String, _ retryAfter: String?, _ answer: APNsAnswer) {
        #expect(APNsAnswer(status: status, body: Array(body.utf8), retryAfter: retryAfter) == answer)
    }

    @Test("the server's own token is kept for 40 minutes, and made anew when APNs has ended it")
    func providerToken() async throws {
        let clock = VirtualClock()
        let pem = P256Key.pem
        let token = APNsProviderToken(try .init(pem: pem, keyID: FakeAPNs.keyID, teamID: FakeAPNs.teamID), clock: clock)
        // Of many who need one at once.
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 { group.addTask { try await token.text() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts.count == 1)
        let first = try await token.text()
        #expect(texts == [first])
        clock.advance(by: 40 * 60_000 - 1)
        #expect(try await token.text() == first)
        clock.advance(by: 1)
        let second = try await token.text()
        #expect(second != first)
        await token.end(first)
        #expect(try await token.text() == second)
        await token.end(second)
        clock.advance(by: 1_000)
        #expect(try await token.text() != second)
    }
}
