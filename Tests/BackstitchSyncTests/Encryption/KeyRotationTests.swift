import Backstitch
import BackstitchServer
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("rotation of encryption keys")
struct KeyRotationTests {
    private static let (writing, reading) = ("write-0123456789abcdef-0123", "read-0123456789abcdef-01234")

    /// The names of the keys of the zone's encrypted fields, with the number of fields under each.
    private func keys(_ world: SyncWorld) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for record in try await WireView(world).all() {
            for case .bytes(let bytes)?? in record.fields.values {
                if let envelope = SealedEnvelope(bytes) { counts[envelope.keyID, default: 0] += 1 }
            }
        }
        return counts
    }

    @Test(
        "records go under the new key a part at a time, over restarts, each once; assets stay where they are",
        arguments: [SyncBacking.sqlite, .postgreSQL])
    func rotates(_ backing: SyncBacking) async throws {
        try await SyncBacking.$current.withValue(backing) {
            try await SyncWorld.run { world in
                let phoneKeys = try TestKeys("k1"), deskKeys = try TestKeys("k1")
                var phone = try world.vault(phoneKeys, named: "phone")
                let desk = try world.vault(deskKeys)
                let ids = try await phone.edit { context in
                    try (0..<450).map { number in
                        try context.make(
                            "Secret", ["text": .string("t\(number)"), "large": .int(Int64(number))]
                        ).objectID
                    }
                }
                try await phone.set(ids[0], ["scan": .data(Data(repeating: 9, count: 70_000))])
                try await phone.sync.sync()
                try await desk.sync.sync()
                let before = try #require(try await WireView(world).record(ids[0]))
                try phoneKeys.rotate(to: "k2", replacing: "k1")
                try deskKeys.rotate(to: "k2", replacing: "k1")
                var rounds = 0
                while try await phone.sync.encryption.status().recordsToRotate > 0, rounds < 9 {
                    let summary = try await phone.sync.sync()
                    #expect(summary.sent > 0 && summary.sent <= 200 && summary.conflicts.isEmpty)
                    rounds += 1
                    if rounds == 1 {
                        try phone.close()
                        phone = try world.vault(phoneKeys, named: "phone")
                    }
                }
                #expect(rounds == 3)
                #expect(try await keys(world) == ["k2": 901])
                #expect(try await phone.sync.sync().sent == 0)
                // The other device sees that it was done, and does it no second time. No object has changed.
                let seen = try await desk.sync.sync()
                #expect(seen.received == 450 && seen.inserted.isEmpty && seen.updated.isEmpty)
                #expect(try await desk.sync.sync().sent == 0)
                #expect(try await desk.sync.encryption.status().recordsToRotate == 0)
                let after = try #require(try await WireView(world).record(ids[0]))
                guard case .asset(let old)? = before.value("scan"), case .asset(let new)? = after.value("scan") else {
                    Issue.record("no asset")
                    return
                }
                #expect(old.fileChecksum == new.fileChecksum)
                // The old key can go now.
                let fresh = try world.vault(try TestKeys("k2"))
                try await fresh.sync.sync()
                let secret = try await fresh.secret(ids[0])
                #expect(secret["scan"] == .data(Data(repeating: 9, count: 70_000)) && secret["text"] == .string("t0"))
                #expect(try await fresh.sync.blocked.parkedRecords().isEmpty)
            }
        }
    }

    @Test("an edit of another device that comes between wins, and its record takes its turn later")
    func race() async throws {
        try await SyncWorld.run { world in
            let phoneKeys = try TestKeys("k1")
            let phone = try world.vault(phoneKeys), desk = try world.vault(try TestKeys("k1", "k2"))
            let late = try world.vault(try TestKeys("k1"))
            let id = try await phone.addSecret(["text": .string("a"), "other": .string("b")])
            for device in [phone, late, desk] { try await device.sync.sync() }
            try phoneKeys.rotate(to: "k2", replacing: "k1")
            // A device that does not know of the new key yet.
            try await late.set(id, ["text": .string("late")])
            let isFirst = Locked(true)
            await world.faults.set { request in
                let comesBetween = isFirst.withLock { first in
                    guard request.endpoint == "records/modify" else { return false }
                    defer { first = false }
                    return first
                }
                if comesBetween { _ = try? await late.sync.sync() }
                return nil
            }
            let summary = try await phone.sync.sync()
            #expect(summary.conflicts.isEmpty)
            for _ in 0..<4 { try await phone.sync.sync() }
            #expect(try await phone.secret(id)["text"] == .string("late"))
            #expect(try await keys(world) == ["k2": 2])
            try await desk.sync.sync()
            #expect(try await desk.secret(id)["text"] == .string("late"))
        }
    }

    @Test(
        "an edit here carries the record's other fields along, and a device without the right to write rotates nothing")
    func edits() async throws {
        try await SyncWorld.run { world in
            let keys = try TestKeys("k1"), phone = try world.vault(keys)
            let id = try await phone.addSecret(["text": .string("a"), "other": .string("b")])
            try await phone.sync.sync()
            try keys.rotate(to: "k2", replacing: "k1")
            let reader = try world.device(
                nil, model: VaultModel.description, [.syncEncryptionKeys: keys, .syncReadOnly: true])
            for _ in 0..<3 { try await reader.sync.sync() }
            #expect(try await self.keys(world) == ["k1": 2])
            try await phone.set(id, ["text": .string("c")])
            #expect(try await phone.sync.sync().sent == 1)
            #expect(try await self.keys(world) == ["k2": 2])
            #expect(try await phone.sync.sync().sent == 0)
        }
    }

    @Test("a rotation whose answer is lost, with the process, goes on from the store; each record goes once", .onFiles)
    func interrupted() async throws {
        try await SyncWorld.run { world in
            let keys = try TestKeys("k1")
            var phone = try world.vault(keys, named: "phone")
            let id = try await phone.addSecret(["text": .string("a"), "other": .string("b")])
            try await phone.sync.sync()
            try keys.rotate(to: "k2", replacing: "k1")
            await world.faults.breakDown(at: "records/modify")
            _ = try? await phone.sync.sync()
            try phone.close()
            await world.faults.clear()
            let tag = try #require(try await WireView(world).record(id)?.recordChangeTag)
            #expect(try await self.keys(world) == ["k2": 2])
            phone = try world.vault(keys, named: "phone")
            for _ in 0..<3 { #expect(try await phone.sync.sync().conflicts.isEmpty) }
            #expect(try await phone.sync.encryption.status().recordsToRotate == 0)
            #expect(try await WireView(world).record(id)?.recordChangeTag == tag)
            #expect(try await phone.secret(id)["text"] == .string("a"))
        }
    }

    @Test("a rotation that goes on at its last part finds the records of all others")
    func goesAround() async throws {
        try await SyncWorld.run { world in
            let phoneKeys = try TestKeys("k1")
            let phone = try world.vault(phoneKeys)
            try await phone.edit { context in
                for number in 0..<20 { try context.make("Secret", ["text": .string("t\(number)")]) }
            }
            try await phone.sync.sync()
            try phoneKeys.rotate(to: "k2", replacing: "k1")
            try phone.store.backing.writeJournal(author: SyncAuthor.name) { journal in
                try journal.set(.rotationPart, to: Int64(SealingSubject.parts - 1))
            }
            for _ in 0..<3 { try await phone.sync.sync() }
            #expect(try await keys(world) == ["k2": 20])
            #expect(try await phone.sync.encryption.status().recordsToRotate == 0)
        }
    }

    @Test("a device that still writes with the old key is followed, also when all was done")
    func lateWriter() async throws {
        try await SyncWorld.run { world in
            let keys = try TestKeys("k1"), phone = try world.vault(keys)
            let late = try world.vault(try TestKeys("k1"))
            _ = try await phone.addSecret(["text": .string("a")])
            try await phone.sync.sync()
            try keys.rotate(to: "k2", replacing: "k1")
            for _ in 0..<3 { try await phone.sync.sync() }
            #expect(try await self.keys(world) == ["k2": 1])
            _ = try await late.addSecret(["text": .string("b")])
            try await late.sync.sync()
            for _ in 0..<3 { try await phone.sync.sync() }
            #expect(try await self.keys(world) == ["k2": 2])
            #expect(try await phone.sync.sync().sent == 0)
        }
    }

    @Test("where the server takes no changes, the first of them are blocked and told, and no others are begun")
    func refused() async throws {
        try await SyncWorld.run(configure: {
            $0.users = [
                .init(userRecordName: "_ann", webAuthToken: Self.writing),
                .init(userRecordName: "_ann", webAuthToken: Self.reading, isReadOnly: true),
            ]
        }) { world in
            let keys = try TestKeys("k1")
            func device(_ token: String) throws -> SyncDevice {
                try world.device(
                    nil, model: VaultModel.description, [.syncEncryptionKeys: keys, .syncWebAuthToken: token])
            }
            let writer = try device(Self.writing), reader = try device(Self.reading)
            _ = try await writer.edit { context in
                for number in 0..<250 { _ = try context.make("Secret", ["text": .string("t\(number)")]) }
            }
            try await writer.sync.sync()
            try await reader.sync.sync()
            try keys.rotate(to: "k2", replacing: "k1")
            for _ in 0..<3 { try await reader.sync.sync() }
            let blocked = try await reader.sync.blocked.changes()
            #expect(blocked.count == 200 && blocked.allSatisfy { $0.reason.contains("ACCESS_DENIED") })
            for _ in 0..<4 { try await writer.sync.sync() }
            try await reader.sync.sync()
            try await reader.sync.sync()
            #expect(try await reader.sync.blocked.changes().isEmpty)
            #expect(try await reader.sync.encryption.status().recordsToRotate == 0)
        }
    }

    @Test("an automatic store goes on by itself")
    func automatic() async throws {
        try await SyncWorld.run { world in
            let keys = try TestKeys("k1"), phone = try world.vault(keys, automatic: true)
            _ = try await phone.edit { context in
                for number in 0..<401 { _ = try context.make("Secret", ["text": .string("t\(number)")]) }
            }
            try await phone.sync.sync()
            try keys.rotate(to: "k2", replacing: "k1")
            phone.sync.trigger(.networkState)
            #expect(try await eventually { try await self.keys(world) == ["k2": 401] })
        }
    }

    @Test("objects of further zones are rotated too")
    func zones() async throws {
        try await SyncWorld.run { world in
            let keys = try TestKeys("k1"), phone = try world.vault(keys)
            try await phone.sync.zones.create(named: "Club")
            _ = try await phone.edit { context in
                let secret = try context.make("Secret", ["text": .string("a")])
                try context.assign(secret, toZone: "Club")
            }
            try await phone.sync.sync()
            try keys.rotate(to: "k2", replacing: "k1")
            for _ in 0..<3 { try await phone.sync.sync() }
            #expect(try await phone.sync.encryption.status().recordsToRotate == 0)
            let records = try await WireView(world, zone: "Backstitch.Club").all()
            guard case .bytes(let bytes)?? = records.first?.fields["text"] else { Issue.record("no record"); return }
            #expect(SealedEnvelope(bytes)?.keyID == "k2")
        }
    }
}
