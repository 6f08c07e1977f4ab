import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("encrypted assets")
struct EncryptedAssetTests {
    private static let scan = Data((0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })

    @Test(
        "bytes of any length come to another device, over either store; the server knows the ciphertext's length and name",
        arguments: [SyncBacking.sqlite, .postgreSQL])
    func transfer(_ backing: SyncBacking) async throws {
        try await SyncBacking.$current.withValue(backing) {
            try await SyncWorld.run { world in
                let phone = try world.vault(try TestKeys("k1")), desk = try world.vault(try TestKeys("k1"))
                for size in [1, 65_536, 200_000, Self.scan.count] {
                    let data = Self.scan.prefix(size)
                    let id = try await phone.addSecret(["scan": .data(data), "picture": .data(Data(data.reversed()))])
                    try await phone.sync.sync()
                    try await desk.sync.sync()
                    let secret = try await desk.secret(id)
                    #expect(secret["scan"] == .data(data), "\(size) bytes")
                    #expect(secret["picture"] == .data(Data(data.reversed())))
                    let record = try #require(try await WireView(world).record(id))
                    guard case .asset(let asset)? = record.value("scan") else { Issue.record("no asset"); continue }
                    #expect(asset.size == AssetFrames.sealedSize(Int64(size)))
                    #expect(asset.fileChecksum != phone.store.backing.assets.reference(to: data).checksum)
                }
            }
        }
    }

    @Test(
        "one that stays remote comes when it is asked for, goes on where it broke off, and tells how far it is",
        .onFiles)
    func onDemand() async throws {
        try await SyncWorld.run { world in
            let phone = try world.vault(try TestKeys("k1"))
            let id = try await phone.addSecret(["scan": .data(Self.scan)])
            try await phone.sync.sync()
            func open() throws -> SyncDevice {
                try world.device(
                    "desk", model: VaultModel.description,
                    [.syncEncryptionKeys: try TestKeys("k1"), .excludedUnchangingAsyncAssetKeys: ["scan"]])
            }
            let first = try open()
            try await first.sync.sync()
            #expect(try await first.sync.assets.state("scan", of: id) == .remote(size: Int64(Self.scan.count)))
            await world.faults.cutAssets(after: 2)
            await #expect(throws: BackstitchError.self) { try await first.sync.assets.download("scan", of: id) }
            try first.close()
            await world.faults.clear()
            let second = try open()
            let progress = Locked<[Double]>([])
            let asset = try await second.sync.assets.download("scan", of: id) { part in
                progress.withLock { $0.append(part) }
            }
            #expect(try asset.data() == Self.scan)
            #expect(await world.faults.requests.count { $0.contains("asset") } < 3)
            let parts = progress.withLock { $0 }
            #expect(parts.last == 1 && parts == parts.sorted())
            let folder = world.folder(of: "desk").appending(path: "store.sqlite.sync-downloads")
            #expect(!FileManager.default.fileExists(atPath: folder.path))
        }
    }

    @Test(
        "what is undone before it is sent leaves the bytes on the server, with their key", arguments: [true, false])
    func undone(deletion isDeletion: Bool) async throws {
        try await SyncWorld.run { world in
            let phone = try world.vault(try TestKeys("k1"))
            let desk = try world.device(
                nil, model: VaultModel.description,
                [.syncEncryptionKeys: try TestKeys("k1"), .excludedUnchangingAsyncAssetKeys: ["scan"]])
            let data = Self.scan.prefix(70_000)
            let id = try await phone.addSecret(["scan": .data(data), "text": .string("a")])
            try await phone.sync.sync()
            try await desk.sync.sync()
            try await desk.read { context in
                context.undoManager = ContextUndoManager()
                let secret = try context.existingObject(with: id)
                if isDeletion {
                    context.delete(secret)
                } else {
                    try secret.setValue(.data(Data([4])), forKey: "scan")
                }
                try context.save()
                context.undo()
                try secret.setValue(.string("b"), forKey: "text")
                try context.save()
            }
            for device in [desk, phone, desk] { try await device.sync.sync() }
            #expect(try await desk.sync.assets.download("scan", of: id).data() == data)
            for device in [phone, try world.vault(try TestKeys("k1"))] {
                try await device.sync.sync()
                let secret = try await device.secret(id)
                #expect(secret["scan"] == .data(data) && secret["text"] == .string("b"))
            }
        }
    }

    @Test("bytes or an envelope that the server changes or swaps are not taken, and the object stays")
    func forgery() async throws {
        try await SyncWorld.run { world in
            let phone = try world.vault(try TestKeys("k1")), desk = try world.vault(try TestKeys("k1"))
            let one = try await phone.addSecret(["scan": .data(Self.scan.prefix(70_000)), "label": .string("one")])
            let two = try await phone.addSecret(["scan": .data(Self.scan.suffix(70_000)), "label": .string("two")])
            try await phone.sync.sync()
            let view = try WireView(world)
            let envelope = try #require(try await view.record(one)?.value("scan_encryption"))
            let own = try #require(try await view.record(two)?.value("scan_encryption"))
            try await view.change(two, ["scan_encryption": envelope])
            #expect(try await desk.sync.sync().parked.map(\.recordName) == [two.key.uuidString])
            try await view.change(two, ["scan_encryption": nil])
            #expect(try await desk.sync.sync().parked.first?.reason.contains("not encrypted") == true)
            try await view.change(two, ["scan_encryption": own])
            #expect(try await desk.sync.sync().inserted == [two])
            #expect(try await desk.secret(two)["scan"] == .data(Self.scan.suffix(70_000)))
        }
    }

    @Test("an asset is replaced, cleared, merged and evicted like others; its file is sent again only when it changed")
    func life() async throws {
        try await SyncWorld.run { world in
            let phone = try world.vault(try TestKeys("k1")), desk = try world.vault(try TestKeys("k1"))
            let id = try await phone.addSecret(["scan": .data(Data([1, 2, 3])), "text": .string("a")])
            try await phone.sync.sync()
            try await desk.sync.sync()
            await world.faults.clear()
            try await phone.set(id, ["text": .string("b")])
            try await phone.sync.sync()
            #expect(await !world.faults.requests.contains { $0.contains("upload") })
            try await desk.set(id, ["scan": .data(Data([4, 5]))])
            try await desk.sync.sync()
            try await phone.sync.sync()
            var secret = try await phone.secret(id)
            #expect(secret["scan"] == .data(Data([4, 5])) && secret["text"] == .string("b"))
            try await phone.sync.assets.evict("scan", of: id)
            #expect(try await phone.secret(id)["scan"] == .null)
            #expect(try await phone.sync.assets.download("scan", of: id).data() == Data([4, 5]))
            try await phone.set(id, ["scan": .null])
            try await phone.sync.sync()
            try await desk.sync.sync()
            secret = try await desk.secret(id)
            #expect(secret["scan"] == .null)
            let record = try #require(try await WireView(world).record(id))
            #expect(record.value("scan") == nil && record.value("scan_encryption") == nil)
        }
    }
}
