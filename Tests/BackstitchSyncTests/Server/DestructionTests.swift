import Backstitch
import BackstitchPostgreSQL
import BackstitchServer
import BackstitchSimulator
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("zones that are destroyed without their store", .timeLimit(.minutes(3)))
struct DestructionTests {
    @Test("all of a store's zones go, those of other stores stay, and a second call finds nothing to do")
    func destroy() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(automatic: false, [.syncZoneName: "Mine"])
            let other = try world.device(automatic: false, [.syncZoneName: "Mine2"])
            try await a.sync.zones.create(named: "Club")
            try await a.edit { context in
                _ = try context.make("Note", ["title": "main"])
                try context.assign(try context.make("Note", ["title": "club"]), toZone: "Club")
            }
            _ = try await other.addNote("another store's")
            for device in [a, other] { try await device.sync.sync() }
            let options: [StoreOption: any Sendable] = [
                .syncServerURL: world.url.absoluteString, .syncZoneName: "Mine",
                .excludedUnchangingAsyncAssetKeys: ["photo"],
            ]
            for _ in 0..<2 {
                try await SyncStore.destroyZones(options: options)
                let fresh = try world.device(automatic: false, [.syncZoneName: "Mine"])
                try await fresh.sync.sync()
                #expect(try await fresh.titles() == [])
                #expect(try await fresh.sync.zones.all().count == 1)
            }
            let follower = try world.device(automatic: false, [.syncZoneName: "Mine2"])
            try await follower.sync.sync()
            #expect(try await follower.titles() == ["another store's"])
            // Nothing was deleted here.
            #expect(try await a.titles() == ["club", "main"])
        }
    }

    /// A new place for a server's storage in a folder or in PostgreSQL.
    private func storage(inPostgreSQL: Bool, _ folder: URL) async throws -> ZoneServerConfiguration.Storage {
        guard inPostgreSQL else { return .directory(folder) }
        let url = try await onThread { try PostgresServer.shared.get().url }
        let schema = "destruction_\(ObjectIDGenerator().next().uuidString.lowercased())"
        return .database(try .postgreSQL(url, options: [.postgresSchema: schema]), assets: folder)
    }

    @Test(
        "the push tokens of its stores go with it, open or closed, and nothing is kept for them; those of others stay",
        arguments: [false, true])
    func pushTokens(_ inPostgreSQL: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: ObjectIDGenerator().next().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let storage = try await storage(inPostgreSQL: inPostgreSQL, folder)
        try await SyncWorld.run(configure: { $0.storage = storage }) { world in
            let devices = try ["Mine", "Mine", "Mine", "Mine2"].map {
                try world.device(automatic: true, [.syncZoneName: $0])
            }
            let (open, other) = (devices[0], devices[3])
            _ = try await open.addNote("note")
            for device in devices {
                #expect(try await eventually { device.sync.services.client.courierURL != nil })
                #expect(try await eventually { try await device.sync.status.state == .idle })
            }
            let tokens = try devices.map { try #require($0.sync.services.client.courierURL) }
            for device in devices[1...2] { try device.close() }
            func status(_ token: String) async throws -> Int {
                try await other.sync.services.client.transfer(
                    "GET", token + "&wait=0", timeout: 5_000, maximumResponse: 1 << 20
                ).status
            }
            for token in tokens { #expect([200, 204].contains(try await status(token))) }
            let options: [StoreOption: any Sendable] = [
                .syncServerURL: world.url.absoluteString, .syncZoneName: "Mine",
            ]
            try await SyncStore.destroyZones(options: options)
            for token in tokens[..<3] { #expect(try await status(token) == 404) }
            #expect([200, 204].contains(try await status(tokens[3])))
            // The open store continues with its policy, and hears by a new token.
            let isBack = try await eventually {
                guard let token = open.sync.services.client.courierURL, token != tokens[0] else { return false }
                return try await status(token) != 404
            }
            #expect(isBack)
            let follower = try world.device(automatic: false, [.syncZoneName: "Mine"])
            #expect(
                try await eventually {
                    try await follower.sync.sync()
                    return try await follower.titles() == ["note"]
                })
            try open.close()
            for _ in 0..<2 { try await SyncStore.destroyZones(options: options) }
            #expect([200, 204].contains(try await status(tokens[3])))
        }
    }

    @Test("a plain server, which has no operation for push tokens, is asked for none")
    func plain() async throws {
        try await PlainWorld.run { world in
            let device = try world.device(automatic: true)
            #expect(try await eventually { device.sync.services.client.courierURL != nil })
            try device.close()
            try await SyncStore.destroyZones(options: [.syncServerURL: world.url.absoluteString])
            #expect(world.server.counts["zones/modify", default: 0] > 0)
            #expect(world.server.counts["tokens/unregister"] == nil)
        }
    }

    @Test("wrong options, a store that only reads, and a server that is not there are told, each with its error")
    func mistakes() async throws {
        let errors: [([StoreOption: any Sendable], BackstitchError.Code)] = [
            ([:], .invalidOption),
            ([.syncServerURL: "http://127.0.0.1:1", .syncReadOnly: true], .readOnly),
            ([.syncServerURL: "http://127.0.0.1:1"], .network),
        ]
        for (options, code) in errors {
            let error = await #expect(throws: BackstitchError.self) {
                try await SyncStore.destroyZones(options: options)
            }
            #expect(error?.code == code)
        }
    }
}
