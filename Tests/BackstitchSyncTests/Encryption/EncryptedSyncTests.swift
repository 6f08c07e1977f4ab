import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("encrypted fields between devices")
struct EncryptedSyncTests {
    @Test(
        "values of each type reach another device, over either store, and the server has bytes of each",
        arguments: [SyncBacking.sqlite, .postgreSQL])
    func values(_ backing: SyncBacking) async throws {
        try await SyncBacking.$current.withValue(backing) {
            try await SyncWorld.run { world in
                let phone = try world.vault(try TestKeys("k1")), desk = try world.vault(try TestKeys("k1"))
                var values = Dictionary(uniqueKeysWithValues: VaultModel.kinds.map { ($0.name, $0.value) })
                values["label"] = .string("plain")
                let id = try await phone.addSecret(values)
                try await phone.sync.sync()
                try await desk.sync.sync()
                let read = try await desk.secret(id)
                for (name, value) in values { #expect(read[name] == value, "\(name)") }
                let record = try #require(try await WireView(world).record(id))
                for kind in VaultModel.kinds {
                    guard case .bytes(let bytes)? = record.value(kind.name) else { Issue.record("\(kind)"); continue }
                    #expect(bytes.count >= 33 && bytes.dropFirst(2).prefix(2) == Data("k1".utf8))
                }
                #expect(record.value("label") == .string("plain"))
                // Nothing was set, nothing is there; what is set to nil is nil elsewhere.
                #expect(record.fields["other"] == nil)
                try await desk.set(id, ["text": .null, "large": .int(5)])
                try await desk.sync.sync()
                try await phone.sync.sync()
                let back = try await phone.secret(id)
                #expect(back["text"] == .null && back["large"] == .int(5) && back["ratio"] == .double(0.1))
            }
        }
    }

    @Test("predicates, orders and counts work on the values here")
    func queries() async throws {
        try await SyncWorld.run { world in
            let phone = try world.vault(try TestKeys("k1")), desk = try world.vault(try TestKeys("k1"))
            for rank in 0..<5 {
                _ = try await phone.addSecret(["large": .int(Int64(rank)), "text": .string("t\(rank)")])
            }
            try await phone.sync.sync()
            try await desk.sync.sync()
            let found = try await desk.read { context in
                try context.fetch(
                    FetchRequest<ManagedObject>(
                        entityName: "Secret", where: "large > 1 AND text BEGINSWITH 't'",
                        sortedBy: [.descending("large")])
                ).map { try $0.value(forKey: "text") }
            }
            #expect(found == [.string("t4"), .string("t3"), .string("t2")])
        }
    }

    @Test("different fields changed on two devices both stay; of the same field the policy takes one, by its plaintext")
    func merges() async throws {
        try await SyncWorld.run { world in
            let phone = try world.vault(try TestKeys("k1")), desk = try world.vault(try TestKeys("k1"))
            let id = try await phone.addSecret(["text": .string("a"), "other": .string("b"), "large": .int(1)])
            try await phone.sync.sync()
            try await desk.sync.sync()
            try await phone.set(id, ["text": .string("phone"), "large": .int(2)])
            try await desk.set(id, ["other": .string("desk"), "large": .int(3)])
            try await phone.sync.sync()
            let summary = try await desk.sync.sync()
            #expect(summary.conflicts.map(\.keys) == [["large"]])
            try await phone.sync.sync()
            for device in [phone, desk] {
                let secret = try await device.secret(id)
                #expect(secret["text"] == .string("phone") && secret["other"] == .string("desk"))
                #expect(secret["large"] == .int(2))
            }
            // The same value on both sides is no conflict, though the ciphertexts differ.
            try await phone.set(id, ["large": .int(9)])
            try await desk.set(id, ["large": .int(9)])
            try await phone.sync.sync()
            #expect(try await desk.sync.sync().conflicts.isEmpty)
        }
    }

    @Test("a push sends the changed field alone, and nothing is sent for want of a change")
    func unchanged() async throws {
        try await SyncWorld.run { world in
            let phone = try world.vault(try TestKeys("k1"))
            let id = try await phone.addSecret(["text": .string("a"), "other": .string("b"), "label": .string("l")])
            try await phone.sync.sync()
            let view = try WireView(world)
            let before = try #require(try await view.record(id))
            try await phone.set(id, ["label": .string("m")])
            try await phone.sync.sync()
            let after = try #require(try await view.record(id))
            #expect(after.value("text") == before.value("text") && after.value("other") == before.value("other"))
            try await phone.set(id, ["text": .string("a")])
            #expect(try await phone.sync.sync().sent == 0)
            #expect(try await view.record(id)?.recordChangeTag == after.recordChangeTag)
        }
    }

    @Test("a value that the server gives another record or field, changes, or makes up is not taken, and told by name")
    func forgery() async throws {
        try await SyncWorld.run { world in
            let phone = try world.vault(try TestKeys("k1")), desk = try world.vault(try TestKeys("k1"))
            let first = try await phone.addSecret(["text": .string("first secret"), "other": .string("two")])
            let second = try await phone.addSecret(["text": .string("three"), "label": .string("l")])
            try await phone.sync.sync()
            try await desk.sync.sync()
            let view = try WireView(world)
            let text = try #require(try await view.record(first)?.value("text"))
            let own = try #require(try await view.record(second)?.value("text"))
            for forged: [String: WireValue?] in [
                ["text": text], ["text": .bytes(Data(repeating: 1, count: 60))], ["text": .string("made up")],
                ["other": text],
            ] {
                try await view.change(second, forged)
                let summary = try await desk.sync.sync()
                let parked = try #require(summary.parked.first)
                #expect(parked.recordName == second.key.uuidString)
                #expect(parked.reason.contains(forged.keys.first ?? "?"), "\(parked.reason)")
                #expect(!parked.reason.contains("first secret") && !parked.reason.contains("made up"))
                #expect(try await desk.secret(second)["text"] == .string("three"))
                let state = try await desk.sync.objects.states(of: [second])[second]
                #expect(state?.unreadable == parked.reason)
                try await view.change(second, ["text": own, "other": nil])
                try await desk.sync.sync()
                #expect(try await desk.sync.blocked.parkedRecords().isEmpty)
            }
        }
    }

    @Test("a model with encrypted attributes opens with keys alone, and the refusal names the attributes")
    func refusal() async throws {
        try await SyncWorld.run { world in
            let error = #expect(throws: BackstitchError.self) {
                try world.device(nil, model: VaultModel.description)
            }
            #expect(error?.code == .invalidOption && error?.key == "syncEncryptionKeys")
            #expect(error?.message.contains("Secret.born") == true && error?.message.contains("Secret.scan") == true)
            #expect(error?.message.contains("Secret.label") == false)
            let wrong = #expect(throws: BackstitchError.self) {
                try world.device(nil, model: VaultModel.description, [.syncEncryptionKeys: "secret"])
            }
            #expect(wrong?.code == .invalidOption)
            let model = ManagedObjectModel([
                EntityDescription(
                    "Note",
                    [
                        .attribute("photo", .binary, external: true).encrypted(),
                        .attribute("photo_encryption", .string),
                    ])
            ])
            let taken = #expect(throws: BackstitchError.self) {
                try world.device(nil, model: model, [.syncEncryptionKeys: try TestKeys("k")])
            }
            #expect(taken?.code == .invalidModel && taken?.message.contains("photo_encryption") == true)
        }
    }
}
