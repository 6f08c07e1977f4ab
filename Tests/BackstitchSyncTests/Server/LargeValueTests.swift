import Backstitch
import BackstitchServer
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("values that a record has no room for", .timeLimit(.minutes(5)))
struct LargeValueTests {
    private static func bytes(_ count: Int, _ seed: Int = 0) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 2_654_435_761 >> 13) })
    }

    private func blob(_ id: ObjectID, _ device: SyncDevice, _ key: String = "blob") async throws -> Data? {
        try await device.read { context in
            guard case .data(let data) = try context.existingObject(with: id).value(forKey: key) else { return nil }
            return data
        }
    }

    private func isAsset(_ record: WireRecord?, _ field: String) -> Bool {
        if case .asset? = record?.value(field) { true } else { false }
    }

    @Test(
        "bytes without external storage travel as an asset, and come back as Data by themselves",
        arguments: [1_000_000, 5_500_000])
    func travel(size: Int) async throws {
        try await SyncWorld.run { world in
            let (a, b) = (try world.device(), try world.device(nil, [.syncAutomaticAssetSize: 0]))
            let data = Self.bytes(size)
            let id = try await a.add(["title": "large", "blob": .data(data), "rank": 7])
            let summary = try await a.sync.sync()
            #expect(summary.sent == 1 && summary.blocked.isEmpty)
            let record = try await WireView(world).record(id)
            #expect(isAsset(record, "blob_asset") && record?.value("blob") == nil)
            let received = try await b.sync.sync()
            #expect(received.inserted == [id] && received.parked.isEmpty)
            #expect(try await blob(id, b) == data)
            #expect(try await a.dump() == b.dump())
            #expect(try await b.sync.blocked.parkedRecords().isEmpty)
            // Its own record that comes back costs no bytes, and neither does a full read.
            await world.faults.clear()
            for device in [a, b] {
                try await device.sync.sync()
                try await device.sync.syncFromScratch()
            }
            #expect(await world.faults.requests.count { $0 == "assets download" } == 0)
            #expect(try await a.dump() == b.dump())
        }
    }

    @Test("only the largest values leave the record, and what is small stays in it")
    func largest() async throws {
        try await SyncWorld.run { world in
            let (a, b) = (try world.device(), try world.device())
            let id = try await a.add([
                "blob": .data(Self.bytes(600_000)), "body": .string(String(repeating: "y", count: 500_000)),
                "style": .data(Data(#"["a"]"#.utf8)),
            ])
            try await a.sync.sync()
            let record = try await WireView(world).record(id)
            #expect(isAsset(record, "blob_asset") && record?.value("blob") == nil)
            #expect(record?.value("style") != nil && record?.fields["style_asset"] == nil)
            try await b.sync.sync()
            #expect(try await a.dump() == b.dump())
        }
    }

    @Test("a change that leaves no room for what is there already moves that out, and back again when it is small")
    func beside() async throws {
        try await SyncWorld.run { world in
            let (a, b) = (try world.device(), try world.device())
            let id = try await a.add(["blob": .data(Self.bytes(600_000)), "title": "T"])
            _ = try await converge(a, b)
            let view = try WireView(world)
            #expect(try await view.record(id)?.value("blob") != nil)
            try await b.set(id, ["body": .string(String(repeating: "z", count: 400_000))])
            _ = try await converge(b, a)
            #expect(isAsset(try await view.record(id), "blob_asset"))
            #expect(try await a.dump() == b.dump())
            #expect(try await a.sync.status.blockedCount == 0)
            for (device, size) in [(a, 100), (b, 2_000_000), (a, 0), (b, 1_500_000)] {
                let value: Value = size > 0 ? .data(Self.bytes(size, size)) : .null
                try await device.set(id, ["blob": value])
                let dumps = try await converge(a, b)
                #expect(dumps[0] == dumps[1])
                let record = try await view.record(id)
                #expect(isAsset(record, "blob_asset") == (size > 1_000_000), "\(size)")
                #expect((record?.value("blob") != nil) == (size == 100), "\(size)")
                #expect(try await blob(id, a) == (size > 0 ? Self.bytes(size, size) : nil))
            }
        }
    }

    @Test("edits of other attributes merge with a large value; two large values are a conflict that the policy decides")
    func merge() async throws {
        try await SyncWorld.run { world in
            let (a, b) = (try world.device(), try world.device())
            let id = try await a.add(["title": "T", "rank": 1])
            _ = try await converge(a, b)
            try await a.set(id, ["blob": .data(Self.bytes(2_000_000, 1))])
            try await b.set(id, ["title": "edited"])
            try await a.sync.sync()
            try await b.sync.sync()
            _ = try await converge(a, b)
            #expect(try await a.dump() == b.dump())
            #expect(try await blob(id, b) == Self.bytes(2_000_000, 1))
            #expect(try await a.titles() == ["edited"])
            try await a.set(id, ["blob": .data(Self.bytes(2_000_000, 2))])
            try await b.set(id, ["blob": .data(Self.bytes(2_000_000, 3))])
            try await a.sync.sync()
            let summary = try await b.sync.sync()
            #expect(summary.conflicts.map(\.keys) == [["blob"]])
            _ = try await converge(a, b)
            #expect(try await a.dump() == b.dump())
            #expect(try await blob(id, b) == Self.bytes(2_000_000, 2))
            #expect(try await b.sync.status.blockedCount == 0)
        }
    }

    @Test("while the bytes cannot be had the record waits, nobody sees it without them, and others come")
    func failure() async throws {
        try await SyncWorld.run { world in
            let (a, b) = (try world.device(), try world.device("b"))
            let id = try await a.add(["title": "large", "blob": .data(Self.bytes(1_200_000))])
            _ = try await a.add(["title": "small"])
            try await a.sync.sync()
            await world.faults.set { $0.endpoint == "assets download" ? .dropConnection : nil }
            try await b.sync.sync()
            #expect(try await b.titles() == ["small"])
            let parked = try await b.sync.blocked.parkedRecords()
            #expect(parked.map(\.recordName) == [id.key.uuidString] && parked[0].reason.isEmpty == false)
            await world.faults.clear()
            // It is not tried again at once, since each try may cost all the bytes.
            try await b.sync.sync()
            #expect(await world.faults.requests.count { $0 == "assets download" } == 0)
            try b.store.backing.writeJournal(author: "test") {
                try $0.setNote(.awaitedBytes, of: id.key.uuidString, to: 0)
            }
            try await b.sync.sync()
            #expect(try await b.titles() == ["large", "small"])
            #expect(try await b.sync.blocked.parkedRecords().isEmpty)
            #expect(try await a.dump() == b.dump())
        }
    }

    @Test("many large values come in one sync, and in parts, so that memory stays bounded")
    func many() async throws {
        try await SyncWorld.run { world in
            let (a, b) = (try world.device(), try world.device())
            for number in 0..<36 {
                _ = try await a.add(["rank": .int(Int64(number)), "blob": .data(Self.bytes(2_000_000, number))])
            }
            #expect(try await a.sync.sync().sent == 36)
            let summary = try await b.sync.sync()
            #expect(summary.inserted.count == 36)
            #expect(try await a.dump() == b.dump())
        }
    }

    @Test("one larger than an asset may be is set aside with its size")
    func tooLarge() async throws {
        let limits = WireLimits(operations: 40, bytes: 2_000_000, page: 50, record: 500_000, asset: 1_000_000)
        try await SyncWorld.run(limits: limits) { world in
            let a = try world.device()
            try await a.sync.sync()
            let id = try await a.add(["blob": .data(Self.bytes(1_100_000))])
            let summary = try await a.sync.sync()
            #expect(summary.blocked.map(\.objectID) == [id])
            #expect(summary.blocked[0].reason.contains("1100000") && summary.blocked[0].reason.contains("blob"))
        }
    }

    @Test("a value that a version before has written beside the asset counts, and the next one takes its place")
    func olderVersion() async throws {
        try await SyncWorld.run { world in
            let (a, b) = (try world.device(), try world.device())
            let id = try await a.add(["title": "T", "blob": .data(Self.bytes(1_200_000))])
            try await a.sync.sync()
            // It knows nothing of the other field.
            let view = try WireView(world)
            try await view.change(id, ["blob": .bytes(Data([1, 2, 3]))])
            _ = try await converge(a, b)
            for device in [a, b] { #expect(try await blob(id, device) == Data([1, 2, 3])) }
            try await b.set(id, ["blob": .null])
            _ = try await converge(b, a)
            let record = try await view.record(id)
            #expect(record?.value("blob") == nil && !isAsset(record, "blob_asset"))
            #expect(try await a.dump() == b.dump())
            #expect(try await blob(id, a) == nil)
        }
    }

    @Test("where another property has the field's name, the change is set aside as it was before")
    func takenName() async throws {
        let model = ManagedObjectModel([
            EntityDescription("Note", [.attribute("blob", .binary), .attribute("blob_asset", .string)])
        ])
        try await SyncWorld.run { world in
            let a = try world.device(model: model)
            let id = try await a.add(["blob": .data(Self.bytes(1_200_000)), "blob_asset": "mine"])
            #expect(try await a.sync.sync().blocked.map(\.objectID) == [id])
        }
    }

    @Test("an encrypted value leaves as ciphertext in the asset, and is rotated like others")
    func encrypted() async throws {
        try await SyncWorld.run { world in
            let keys = try TestKeys("one")
            let (a, b) = (try world.vault(keys), try world.vault(keys))
            let secret = Data(String(repeating: "a very plain secret ", count: 80_000).utf8)
            let id = try await a.addSecret(["bytes": .data(secret), "label": "L"])
            #expect(try await a.sync.sync().blocked.isEmpty)
            let record = try await WireView(world).record(id)
            #expect(isAsset(record, "bytes_asset") && record?.value("bytes") == nil)
            try await b.sync.sync()
            #expect(try await b.secret(id)["bytes"] == .data(secret))
            try keys.rotate(to: "two", replacing: "one")
            for _ in 0..<3 {
                try await a.sync.sync()
                try await b.sync.sync()
            }
            #expect(try await b.secret(id)["bytes"] == .data(secret))
            #expect(try await a.dump() == b.dump())
        }
    }
}

@Suite("values that a record has no room for, with a server that is not ours", .timeLimit(.minutes(3)))
struct PlainLargeValueTests {
    @Test("they travel as assets, are replaced and cleared")
    func travel() async throws {
        try await PlainWorld.run { world in
            let (a, b) = (try world.device(), try world.device())
            let large = Data((0..<1_300_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
            let id = try await a.add(["title": "large", "blob": .data(large)])
            #expect(try await a.sync.sync().blocked.isEmpty)
            try await b.sync.sync()
            #expect(try await a.dump() == b.dump())
            for value: Value in [.data(Data([1])), .data(large + large), .null] {
                try await b.set(id, ["blob": value])
                let dumps = try await converge(b, a)
                #expect(dumps[0] == dumps[1] && dumps[0].count == 1)
            }
        }
    }
}
