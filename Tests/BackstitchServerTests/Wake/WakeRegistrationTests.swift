import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Crypto
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Devices register for pushes.
@Suite struct WakeRegistrationTests {
    private func token(_ number: Int) -> String { Array(repeating: UInt8(number), count: 32).hexadecimal }

    @Test(
        "a device is its last user's, a user has so many, and those without a token have none",
        arguments: StorageKind.allCases)
    func registers(_ kind: StorageKind) async throws {
        let clock = VirtualClock()
        try await WakeWorld.with(
            on: kind, user: "alice",
            {
                $0.clock = clock
                $0.userQuotas.pushTokens = 2
                $0.users = ["alice", "bob"].map { .init(userRecordName: $0, webAuthToken: strong($0)) }
            }
        ) { world in
            let alice = world.client.user(strong("alice")), bob = world.client.user(strong("bob"))
            for number in 1...3 {
                clock.advance(by: 1_000)
                try await alice.register(token(number), number == 3 ? "development" : "production")
            }
            let kept = try await world.devices("alice")
            #expect(kept.map(\.token.text) == [token(3), token(2)] && kept.map(\.isDevelopment) == [true, false])
            #expect(kept[0].registered == clock.milliseconds() && kept[0].poll == nil)
            clock.advance(by: 1_000)
            try await alice.register(token(2), "development")
            #expect(try await world.devices("alice").map(\.token.text) == [token(2), token(3)])
            try await bob.register(token(3))
            #expect(try await world.devices("alice").map(\.token.text) == [token(2)])
            #expect(try await world.devices("bob").map(\.token.text) == [token(3)])
            let storage = try world.service().context.storage
            let tenantID = kept[0].tenantID, device = try #require(WakeToken(token(2))), now = clock.milliseconds()
            func remove(_ time: Int64) async throws -> Bool {
                try await storage.write {
                    try $0.removeWakeDevice(tenantID: tenantID, device, registeredUpTo: time)
                }
            }
            #expect(try await !remove(now - 1))
            try await world.server.setTokens(
                apiTokens: [], users: [.init(userRecordName: "alice", webAuthToken: strong("alice"))])
            #expect(try await world.devices("bob").isEmpty)
            #expect(try await world.devices("alice").count == 1)
            #expect(try await remove(now))
            #expect(try await !remove(now))
            #expect(try await world.devices("alice").isEmpty)
        }
    }

    @Test("a user whose token has ended is not woken, though others write where the user listens")
    func ended() async throws {
        let clock = VirtualClock()
        let end = Date(timeIntervalSince1970: Double(clock.milliseconds()) / 1_000 + 60)
        try await WakeWorld.with(
            user: "alice",
            {
                $0.clock = clock
                $0.users = [
                    .init(userRecordName: "alice", webAuthToken: strong("alice"), expires: end)
                ]
            }
        ) { world in
            let alice = world.client.user(strong("alice"))
            try await alice.register()
            try await alice.subscribeToZone()
            try await alice.save("A")
            #expect(try await world.apns.wait(for: 1).count == 1)
            clock.advance(by: 60_000)
            // The operator removes the zone. No device hears of its changes any more.
            try await world.server.purge(user: "alice", container: "iCloud.test", environment: "development")
            #expect(try await world.settled() && world.apns.received.count == 1)
        }
    }

    @Test("what is no token of APNs, and a server without APNs, are refused with what to do")
    func refused() async throws {
        try await WakeWorld.with { world in
            await expectFailure(.badRequest) { try await world.client.register(WakeWorld.token, "staging") }
            for text in ["", "feed", String(repeating: "?", count: 64), String(repeating: "a", count: 300)] {
                let error = await expectFailure(.badRequest) { try await world.client.register(text) }
                #expect(error?.reason.contains("tokens/create") == true)
            }
            let devices = try await world.devices()
            #expect(devices.isEmpty)
        }
        try await withServer { client, _ in
            let error = await expectFailure(.badRequest) { try await client.register() }
            #expect(error?.reason.contains("APNs") == true && error?.reason.contains(WakeWorld.token) == false)
        }
    }

    @Test("settings that make no sense are refused before a server starts")
    func configuration() throws {
        func fault(_ change: (inout APNsConfiguration) -> Void) throws -> String {
            var apns = APNsConfiguration(
                key: try .init(pem: P256Key.pem, keyID: FakeAPNs.keyID, teamID: FakeAPNs.teamID), topic: "org.a")
            change(&apns)
            var configuration = ZoneServerConfiguration(port: 0, storage: .memory)
            configuration.apns = apns
            do { try configuration.validate() } catch { return error.message }
            return ""
        }
        #expect(try fault { _ in } == "")
        #expect(try fault { $0.topic = nil }.contains("--apns-topic"))
        #expect(try fault { $0.topic = "a b" }.contains("is not a topic"))
        #expect(try fault { $0.topics = ["not a container!": "org.b"] }.contains("not the name of one"))
        for url in ["http://127.0.0.1:1", "https://a.org/path", "https://", "https://u@a.org"] {
            #expect(try fault { $0.endpoint = URL(string: url) }.contains("https"), "\(url)")
        }
        for (keyID, teamID) in [("short", FakeAPNs.teamID), (FakeAPNs.keyID, "lowercase1"), ("", "")] {
            #expect(throws: ZoneServerError.self) {
                try APNsConfiguration.Key(pem: P256Key.pem, keyID: keyID, teamID: teamID)
            }
        }
        let error = #expect(throws: ZoneServerError.self) {
            try APNsConfiguration.Key(pem: "secret words", keyID: FakeAPNs.keyID, teamID: FakeAPNs.teamID)
        }
        #expect(error?.description.contains(".p8") == true && error?.description.contains("secret") == false)
    }

    @Test("the command takes the key from a file, and wakes by it; a mistake is told")
    func command() async throws {
        try await FakeAPNs.with { apns in
            try await withFolder { folder in
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let file = folder.appending(path: "key.p8")
                try apns.key.pemRepresentation.write(to: file, atomically: true, encoding: .utf8)
                let names = ["--apns-key-id", FakeAPNs.keyID, "--apns-team-id", FakeAPNs.teamID]
                let key = ["--apns-key", file.path]
                for (arguments, word) in [
                    (names, "--apns-key FILE"), (key + names, "--apns-topic"),
                    (
                        ["--apns-key", folder.appending(path: "none").path] + names + ["--apns-topic", "a"],
                        "cannot be read"
                    ),
                ] {
                    let outcome = try await TestProcess(
                        "backstitch", ["serve", "--any-container", "--port", "0"] + arguments, errors: .withOutput
                    ).ended()
                    #expect(outcome.status != 0 && outcome.output.contains(word), "\(outcome.output)")
                }
                let topics = ["--apns-topic", "org.a", "--apns-topic", "iCloud.test=org.b"]
                let place = ["--apns-endpoint", apns.url.absoluteString, "--apns-trust-roots", apns.certificate.path]
                let server = try await BlockingWork.run {
                    try ServerProcess(storage: folder.appending(path: "zones"), key + names + topics + place)
                }
                defer { server.process.kill() }
                let client = TestClient(base: server.url)
                try await client.makeZone()
                try await client.register()
                try await client.subscribeToZone()
                try await client.save("A")
                let push = try await apns.wait(for: 1)[0]
                #expect(push.headers["apns-topic"] == "org.b")
                _ = try apns.open(push.authorization)
                #expect(server.process.stop() == 0)
            }
        }
    }
}
