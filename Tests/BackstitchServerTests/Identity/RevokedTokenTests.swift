import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// A user has two tokens, each on a device. One of them ends, and the other one stays valid.
@Suite("with a token ends what was made by it") struct RevokedTokenTests {
    /// How a token ends.
    enum End: String, CaseIterable {
        case revoked = "taken back by an administrator"
        case withdrawn = "taken out of the configuration"
        case expired = "expired"
    }

    /// A device of a user with a token of its own.
    private struct Device {
        let client: TestClient
        let pushToken: String
        let poll: String
        let upload: GivenUpload

        init(_ client: TestClient, _ content: [UInt8]) async throws {
            self.client = client
            let made: PushToken = try await client.call(.tokensCreate, PushToken(apnsEnvironment: "development"))
            pushToken = try #require(made.apnsToken)
            poll = try #require(made.webcourierURL)
            upload = try await GivenUpload(client, content)
        }

        func wait(seconds: Int) async throws -> Int {
            try await client.send(poll + "&wait=\(seconds)", method: .GET).status
        }
    }

    private static let content = Array("the bytes of a film".utf8)
    private static let configured = "_configured"
    private static let path = WireEndpoint.usersCurrent.path(container: "iCloud.test", environment: "development")

    private func withDevices(
        on kind: StorageKind, _ end: End,
        _ body: (AccountServer, _ ending: Device, _ other: Device, _ finish: () async throws -> Void) async throws ->
            Void
    ) async throws {
        let clock = VirtualClock()
        let users = ["first", "second"].map {
            ZoneServerConfiguration.User(userRecordName: Self.configured, webAuthToken: strong($0))
        }
        try await withAccounts(
            on: kind,
            {
                $0.clock = clock
                $0.users = users
            }
        ) { accounts in
            let content = Self.content
            if end == .withdrawn {
                let first = try await Device(accounts.with(strong("first")), content)
                let second = try await Device(accounts.with(strong("second")), content)
                try await body(accounts, first, second) {
                    try await accounts.server.setTokens(apiTokens: [], users: Array(users.dropFirst()))
                }
                return
            }
            let (_, ending) = try await accounts.user("ada") { if end == .expired { $0.lifetime = 600 } }
            let other = try await accounts.token("ada")
            let first = try await Device(accounts.with(ending.secret), content)
            let second = try await Device(accounts.with(other.secret), content)
            try await body(accounts, first, second) {
                if end == .expired {
                    clock.advance(by: 600_000)
                } else {
                    _ = try await accounts.ask(RevokeToken(.user, id: ending.token.id))
                }
            }
        }
    }

    @Test(
        "its push token and its upload address are unknown then; those of the other token are good",
        arguments: StorageKind.allCases, End.allCases)
    func addresses(_ kind: StorageKind, _ end: End) async throws {
        try await withDevices(on: kind, end) { _, ending, other, finish in
            #expect(try await ending.wait(seconds: 0) == 200)
            try await finish()
            #expect(try await ending.wait(seconds: 0) == 404)
            #expect(try await ending.upload.patch(Self.content, at: 0).status == 404)
            #expect(try await ending.client.send(ending.upload.url, body: Self.content).status == 404)
            #expect(try await other.wait(seconds: 0) == 200)
            #expect(try await other.upload.patch(Self.content, at: 0).status == 200)
        }
    }

    @Test("its download addresses are unknown then; those of the other token are good", arguments: StorageKind.allCases)
    func downloads(_ kind: StorageKind) async throws {
        for end in End.allCases {
            try await withDevices(on: kind, end) { _, ending, other, finish in
                let content = Array("another film".utf8)
                let sent = try await GivenUpload(ending.client, content).patch(content, at: 0)
                let receipt = try AssetUploadReceipt(wireJSON: sent.body)
                try await ending.client.save("A", ["file": .asset(receipt.singleFile)], zone: nil)
                var addresses: [String] = []
                for client in [ending.client, other.client] {
                    let record = try await client.lookup(["A"], zone: nil)[0].record()
                    guard case .asset(let asset)? = record.value("file") else { throw TestFailure("no asset") }
                    addresses.append(try #require(asset.downloadURL))
                }
                func get(_ address: String) async throws -> TestAnswer {
                    try await ending.client.send(address, method: .GET)
                }
                for address in addresses { #expect(try await get(address).text == "another film") }
                // An address without its bearer, or with another's, is none.
                let parts = addresses.map { $0.components(separatedBy: "&") }
                try #require(parts.allSatisfy { $0.count == 3 && $0[1].hasPrefix("bearer=") })
                for bearer in ["", "&\(parts[1][1])", "&bearer=", "&bearer=AA", "&bearer=___"] {
                    #expect(try await get("\(parts[0][0])\(bearer)&\(parts[0][2])").status == 404)
                }
                try await finish()
                #expect(try await get(addresses[0]).status == 404)
                #expect(try await get(addresses[1]).text == "another film")
            }
        }
    }

    @Test("a poll that waits ends when its token expires, though it may wait longer", arguments: StorageKind.allCases)
    func expiringPolls(_ kind: StorageKind) async throws {
        let clock = VirtualClock()
        try await withAccounts(on: kind, { $0.clock = clock }) { accounts in
            let hub = accounts.service.context.push.hub
            let (_, ending) = try await accounts.user("ada") { $0.lifetime = 600 }
            let other = try await accounts.token("ada")
            let first = try await Device(accounts.with(ending.secret), Self.content)
            let second = try await Device(accounts.with(other.secret), Self.content)
            clock.advance(by: 590_000)
            async let answer = first.wait(seconds: 50)
            async let last = second.wait(seconds: 50)
            #expect(try await eventually { hub.waiting == 2 })
            clock.advance(by: 9_000)
            #expect(hub.endOverdue() && hub.waiting == 2)
            clock.advance(by: 1_000)
            #expect(try await answer == 404)
            #expect(hub.waiting == 1)
            hub.drain()
            #expect(try await last == 200)
        }
    }

    @Test("a poll that waits ends at once, and the other one goes on", arguments: StorageKind.allCases)
    func polls(_ kind: StorageKind) async throws {
        for end in [End.revoked, .withdrawn] {
            try await withDevices(on: kind, end) { accounts, ending, other, finish in
                let hub = accounts.service.context.push.hub
                async let first = ending.wait(seconds: 50)
                async let second = other.wait(seconds: 50)
                #expect(try await eventually { hub.waiting == 2 })
                try await finish()
                #expect(try await first == 404)
                #expect(hub.waiting == 1)
                hub.drain()
                #expect(try await second == 200)
            }
        }
    }

    @Test("an upload that is under way is not kept", arguments: StorageKind.allCases)
    func running(_ kind: StorageKind) async throws {
        try await withDevices(on: kind, .revoked) { accounts, ending, _, finish in
            let length = Self.content.count
            let text = String(decoding: Self.content, as: UTF8.self)
            let connection = try await ending.upload.begin(text.prefix(5), at: 0, of: length)
            try await finish()
            try await connection.send(String(text.dropFirst(5)))
            let answer = try await connection.readToEnd(within: 20)
            #expect(answer.hasPrefix("HTTP/1.1 404"), "\(answer)")
            let checksum = AssetChecksum(contentOf: Self.content)
            let size = try await accounts.service.context.storage.read {
                try $0.asset(tenantID: 1, checksum: checksum)
            }?.size
            #expect(size == nil)
        }
    }

    @Test("a token that was made in place of it keeps them", arguments: StorageKind.allCases)
    func renewal(_ kind: StorageKind) async throws {
        let clock = VirtualClock(), day: Int64 = 86_400_000
        try await withAccounts(on: kind, { $0.clock = clock }) { accounts in
            let (_, made) = try await accounts.user("ada") { $0.lifetime = 14 * 86_400 }
            let device = try await Device(accounts.with(made.secret), Self.content)
            clock.advance(by: 7 * day)
            let answer = try await accounts.with(made.secret).raw(Self.path, Array("{}".utf8))
            let next = try #require(answer.headers[WireHeader.rotatedToken].first)
            #expect(try await accounts.with(next).raw(Self.path, Array("{}".utf8)).status == 200)
            clock.advance(by: 8 * day)
            #expect(try await device.wait(seconds: 0) == 200)
        }
    }

    @Test("a device that was registered by it is not woken any more", arguments: StorageKind.allCases)
    func wakes(_ kind: StorageKind) async throws {
        try await withDevices(on: kind, .revoked) { accounts, _, _, finish in
            let account = try await accounts.service.context.storage.read { try $0.account(named: "ada") }
            let user = try #require(account).name
            let tokens = try await accounts.ask(ListTokens(.user, user: "ada")).lines.map(\.id)
            try await accounts.service.context.storage.write { writing in
                for (number, id) in tokens.enumerated() {
                    let device = StoredWakeDevice(
                        tenantID: 1, token: WakeToken(bytes: Array(repeating: UInt8(number), count: 32)),
                        isDevelopment: true, registered: 1, credential: id)
                    try writing.putWakeDevice(device, user: user)
                }
            }
            try await finish()
            let left = try await accounts.service.context.storage.read {
                try $0.wakeDevices(tenantID: 1, user: user, limit: 10).map(\.credential)
            }
            let honoured = try await accounts.ask(ListTokens(.user, user: "ada")).lines.map(\.id)
            #expect(left == honoured)
            #expect(left.count == 1)
        }
    }
}
