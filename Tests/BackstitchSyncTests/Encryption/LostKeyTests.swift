import Backstitch
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("keys that are lost, late or wrong")
struct LostKeyTests {
    @Test(
        "a record whose key is not here waits and holds nothing up; it appears when the key comes, after a restart too",
        arguments: [SyncBacking.sqlite, .postgreSQL])
    func late(_ backing: SyncBacking) async throws {
        try await SyncBacking.$current.withValue(backing) {
            try await SyncWorld.run { world in
                let old = try world.vault(try TestKeys("k1")), new = try world.vault(try TestKeys("k2"))
                let keys = try TestKeys("k1")
                var desk = try world.vault(keys, named: "desk")
                let first = try await old.addSecret(["text": .string("one")])
                let second = try await new.addSecret([
                    "text": .string("two"), "scan": .data(Data(repeating: 3, count: 9)),
                ])
                let third = try await new.addSecret(["label": .string("no secret")])
                try await old.sync.sync()
                try await new.sync.sync()
                let summary = try await desk.sync.sync()
                #expect(Set(summary.inserted) == [first, third])
                let parked = try #require(summary.parked.first)
                #expect(parked.keyID == "k2" && parked.recordName == second.key.uuidString)
                #expect(parked.reason.contains("\"k2\""))
                let state = try await desk.sync.objects.states(of: [second])[second]
                #expect(state?.phase == .absent && state?.unreadable == parked.reason)
                let status = try await desk.sync.encryption.status()
                #expect(status.currentKeyID == "k1" && status.missingKeys == ["k2": 1])
                // It waits without a word until then.
                #expect(try await desk.sync.sync().parked.isEmpty)

                try desk.close()
                desk = try world.vault(keys, named: "desk")
                try keys.add("k2")
                let after = try await desk.sync.sync()
                #expect(after.inserted == [second] && after.missingAssets == 0)
                let secret = try await desk.secret(second)
                #expect(secret["text"] == .string("two") && secret["scan"] == .data(Data(repeating: 3, count: 9)))
                #expect(try await desk.sync.blocked.parkedRecords().isEmpty)
                #expect(try await desk.sync.encryption.status().missingKeys.isEmpty)
            }
        }
    }

    @Test(
        "an edit of an object that somebody has put under an unknown key is kept, never sent over it, and merged later")
    func edited() async throws {
        try await SyncWorld.run { world in
            let phoneKeys = try TestKeys("k1"), deskKeys = try TestKeys("k1")
            let phone = try world.vault(phoneKeys), desk = try world.vault(deskKeys)
            let id = try await phone.addSecret(["text": .string("a"), "other": .string("b")])
            try await phone.sync.sync()
            try await desk.sync.sync()
            try phoneKeys.rotate(to: "k2")
            try await phone.set(id, ["text": .string("phone")])
            try await phone.sync.sync()
            try await desk.set(id, ["other": .string("desk")])
            let summary = try await desk.sync.sync()
            #expect(summary.blocked.map(\.objectID) == [id])
            #expect(summary.blocked.first?.reason.contains("\"k2\"") == true)
            let record = try #require(try await WireView(world).record(id))
            #expect(try await desk.secret(id)["other"] == .string("desk"))
            // Edits, restarts and full fetches do not change that.
            try await desk.set(id, ["label": .string("more")])
            try await desk.sync.sync()
            try await desk.sync.syncFromScratch()
            try await desk.sync.sync()
            #expect(try await WireView(world).record(id)?.recordChangeTag == record.recordChangeTag)

            try deskKeys.add("k2")
            try await desk.sync.sync()
            try await desk.sync.sync()
            try await phone.sync.sync()
            for device in [phone, desk] {
                let secret = try await device.secret(id)
                #expect(secret["text"] == .string("phone") && secret["other"] == .string("desk"))
                #expect(secret["label"] == .string("more"))
            }
            #expect(try await desk.sync.blocked.changes().isEmpty)
        }
    }

    @Test("another key under the same name is told as such, tried once, and tried anew when the bytes are others")
    func wrongKey() async throws {
        try await SyncWorld.run { world in
            let phone = try world.vault(try TestKeys("k1")), keys = try TestKeys("k1")
            keys.put(try EncryptionKey.generated(id: "k1"))
            let desk = try world.vault(keys)
            let id = try await phone.addSecret(["text": .string("a")])
            try await phone.sync.sync()
            let parked = try await desk.sync.sync().parked
            #expect(parked.map(\.keyID) == ["k1"])
            let reason = parked.first?.reason ?? ""
            #expect(reason.contains("text") && reason.contains(id.key.uuidString) && reason.contains("\"k1\""))
            #expect(try await desk.sync.sync().parked.isEmpty)
            keys.put(try TestKeys.key("k1"))
            #expect(try await desk.sync.sync().inserted == [id])
        }
    }

    @Test(
        "without a key to encrypt with, encrypted objects wait as blocked, others are sent; they go when there is one")
    func noCurrentKey() async throws {
        try await SyncWorld.run { world in
            let keys = try TestKeys("k1")
            keys.setCurrent(nil)
            let phone = try world.vault(keys)
            let secret = try await phone.addSecret(["text": .string("a")])
            let plain = try await phone.addSecret(["label": .string("b")])
            let summary = try await phone.sync.sync()
            #expect(summary.blocked.map(\.objectID) == [secret] && summary.sent == 1)
            #expect(summary.blocked.first?.reason.contains("no key") == true)
            #expect(try await phone.sync.encryption.status().problem != nil)
            let view = try WireView(world)
            #expect(try await view.record(secret) == nil)
            #expect(try await view.record(plain) != nil)
            keys.setCurrent("k1")
            #expect(try await phone.sync.sync().sent == 1)
            #expect(try await view.record(secret) != nil)
            #expect(try await phone.sync.blocked.changes().isEmpty)
        }
    }

    @Test(
        "in a further zone, what waits for a key to encrypt with, or for the key of a record, stays in it and goes on")
    func furtherZone() async throws {
        try await SyncWorld.run { world in
            let keys = try TestKeys("k1"), deskKeys = try TestKeys("k2")
            keys.setCurrent(nil)
            let phone = try world.vault(keys), desk = try world.vault(deskKeys)
            try await phone.sync.zones.create(named: "Club")
            let id = try await phone.edit { context in
                let secret = try context.make("Secret", ["text": .string("a")])
                try context.assign(secret, toZone: "Club")
                return secret.objectID
            }
            #expect(try await phone.sync.sync().blocked.map(\.objectID) == [id])
            keys.setCurrent("k1")
            try await phone.sync.sync()
            #expect(try await phone.sync.zones.zone(of: id).name == "Club")
            let view = try WireView(world, zone: "Backstitch.Club")
            #expect(try await view.record(id) != nil)
            #expect(try await desk.sync.sync().parked.map(\.keyID) == ["k1"])
            try deskKeys.add("k1")
            #expect(try await desk.sync.sync().inserted == [id])
            #expect(try await desk.sync.zones.zone(of: id).name == "Club")
        }
    }

    @Test("a change that was blocked for want of a key goes when there is one, though its zone has no news")
    func quietZone() async throws {
        try await SyncWorld.run { world in
            let keys = try TestKeys("k1")
            let phone = try world.vault(keys)
            @Sendable func add(_ text: String) async throws -> ObjectID {
                try await phone.edit { context in
                    let secret = try context.make("Secret", ["text": .string(text)])
                    try context.assign(secret, toZone: "Club")
                    return secret.objectID
                }
            }
            try await phone.sync.zones.create(named: "Club")
            _ = try await add("a")
            for _ in 0..<2 { try await phone.sync.sync() }
            keys.setCurrent(nil)
            let id = try await add("b")
            #expect(try await phone.sync.sync().blocked.map(\.objectID) == [id])
            try await phone.sync.sync()
            keys.setCurrent("k1")
            #expect(try await phone.sync.sync().sent == 1)
            #expect(try await WireView(world, zone: "Backstitch.Club").record(id) != nil)
        }
    }

    @Test("of zones that are read together each record is opened by its own key, and waits for no other zone's key")
    func severalZones() async throws {
        try await SyncWorld.run { world in
            let names = ["A", "B", "C"]
            let deskKeys = try TestKeys("kA")
            var made: [String: ObjectID] = [:]
            for name in names {
                let phone = try world.vault(try TestKeys("k\(name)"))
                try await phone.sync.zones.create(named: name)
                made[name] = try await phone.edit { context in
                    let secret = try context.make("Secret", ["text": .string(name)])
                    try context.assign(secret, toZone: name)
                    return secret.objectID
                }
                try await phone.sync.sync()
            }
            let desk = try world.vault(deskKeys)
            let first = try await desk.sync.sync()
            #expect(first.inserted == [made["A"]])
            #expect(Set(first.parked.map(\.keyID)) == ["kB", "kC"])
            try deskKeys.add("kB")
            try deskKeys.add("kC")
            #expect(Set(try await desk.sync.sync().inserted) == [made["B"], made["C"]])
            for name in names { #expect(try await desk.secret(#require(made[name]))["text"] == .string(name)) }
        }
    }

    @Test("each zone may have a key of its own: its records and its assets are opened with that one")
    func keysOfZones() async throws {
        struct ZoneKeys: EncryptionKeyProvider {
            func currentKey(inZone zone: String) throws -> EncryptionKey {
                // One name for all of them, which means another key in each zone.
                try EncryptionKey(id: "key", bytes: Data(repeating: UInt8(zone.utf8.count), count: 32))
            }
            func key(withID id: String, inZone zone: String) throws -> EncryptionKey? { try currentKey(inZone: zone) }
        }
        try await SyncWorld.run { world in
            let phone = try world.vault(ZoneKeys())
            try await phone.sync.zones.create(named: "Club")
            let scan = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) })
            let id = try await phone.edit { context in
                let secret = try context.make("Secret", ["text": .string("a"), "scan": .data(scan)])
                try context.assign(secret, toZone: "Club")
                return secret.objectID
            }
            try await phone.sync.sync()
            let desk = try world.vault(ZoneKeys())
            #expect(try await desk.sync.sync().missingAssets == 0)
            #expect(try await desk.secret(id)["scan"] == .data(scan))
            try await desk.sync.assets.evict("scan", of: id)
            #expect(try await desk.sync.assets.download("scan", of: id).data() == scan)
            #expect(try await desk.secret(id)["text"] == .string("a"))
        }
    }

    @Test("a record that waits for its key and is deleted by others is forgotten")
    func deleted() async throws {
        try await SyncWorld.run { world in
            let phone = try world.vault(try TestKeys("k2")), keys = try TestKeys("k1")
            let desk = try world.vault(keys)
            let id = try await phone.addSecret(["text": .string("a")])
            try await phone.sync.sync()
            try await desk.sync.sync()
            try await phone.delete(id)
            try await phone.sync.sync()
            try await desk.sync.sync()
            try keys.add("k2")
            #expect(try await desk.sync.sync().inserted.isEmpty)
            #expect(try await desk.sync.encryption.status().missingKeys.isEmpty)
        }
    }
}
