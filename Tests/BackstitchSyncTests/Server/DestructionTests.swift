import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("zones that are destroyed without their store", .timeLimit(.minutes(3)))
struct DestructionTests {
    @Test("all of a store's zones go, those of other stores stay, and a second call finds nothing to do")
    func destroy() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(automatic: false, [.syncZoneName: "Mine"])
            let other = try world.device(automatic: false, [.syncZoneName: "Mine2"])
            try await a.sync.createZone(named: "Club")
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
                #expect(try await fresh.sync.zones().count == 1)
            }
            let follower = try world.device(automatic: false, [.syncZoneName: "Mine2"])
            try await follower.sync.sync()
            #expect(try await follower.titles() == ["another store's"])
            // Nothing was deleted here.
            #expect(try await a.titles() == ["club", "main"])
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
