import Backstitch
import BackstitchSimulator
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("encrypted fields on servers that are not ours")
struct PlainEncryptionTests {
    @Test(
        "bytes of an asset that the server has changed or cut are not taken, the cause is told, and the right ones come"
    )
    func forgedBytes() async throws {
        try await PlainWorld.run { world in
            func device(_ name: String? = nil) throws -> SyncDevice {
                try world.device(name, model: VaultModel.description, [.syncEncryptionKeys: try TestKeys("k1")])
            }
            let phone = try device(), desk = try device()
            let scan = Data(repeating: 7, count: 150_000)
            let id = try await phone.addSecret(["scan": .data(scan)])
            try await phone.sync.sync()
            world.interfere { request, answer in
                guard request.path.contains("/blob/") else { return nil }
                var body = Array(answer.body)
                body[100_000] ^= 1
                return .answer(status: 200, body: body)
            }
            #expect(try await desk.sync.sync().missingAssets == 1)
            let missing = try #require(try await desk.sync.assets.missing().first)
            #expect(missing.objectID == id && missing.key == "scan" && missing.size == 150_000)
            #expect(missing.reason?.contains("frame 1") == true, "\(missing.reason ?? "no reason")")
            #expect(try await desk.secret(id)["scan"] == .null)
            world.interfere(nil)
            try await desk.sync.assets.retryMissing()
            #expect(try await desk.sync.sync().missingAssets == 0)
            #expect(try await desk.secret(id)["scan"] == .data(scan))
        }
    }

    @Test("values and assets reach another device and come back, also under a new key")
    func values() async throws {
        try await PlainWorld.run { world in
            let phoneKeys = try TestKeys("k1"), deskKeys = try TestKeys("k1")
            func device(_ keys: TestKeys) throws -> SyncDevice {
                try world.device(model: VaultModel.description, [.syncEncryptionKeys: keys])
            }
            let phone = try device(phoneKeys), desk = try device(deskKeys)
            let scan = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
            let id = try await phone.addSecret([
                "text": .string("a"), "born": .date(Date(milliseconds: 5)), "scan": .data(scan),
                "picture": .data(Data("plain".utf8)),
            ])
            try await phone.sync.sync()
            #expect(try await desk.sync.sync().missingAssets == 0)
            let secret = try await desk.secret(id)
            #expect(secret["text"] == .string("a") && secret["born"] == .date(Date(milliseconds: 5)))
            #expect(secret["scan"] == .data(scan) && secret["picture"] == .data(Data("plain".utf8)))
            try await desk.set(id, ["text": .string("b")])
            try await desk.sync.sync()
            try await phone.sync.sync()
            #expect(try await phone.secret(id)["text"] == .string("b"))
            #expect(try await phone.secret(id)["scan"] == .data(scan))
            for keys in [phoneKeys, deskKeys] { try keys.rotate(to: "k2", replacing: "k1") }
            for _ in 0..<2 {
                try await phone.sync.sync()
                try await desk.sync.sync()
            }
            let fresh = try device(try TestKeys("k2"))
            #expect(try await fresh.sync.sync().parked.isEmpty)
            #expect(try await fresh.secret(id)["scan"] == .data(scan))
        }
    }
}
