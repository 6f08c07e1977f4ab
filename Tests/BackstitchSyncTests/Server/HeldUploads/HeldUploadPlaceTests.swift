import Backstitch
import BackstitchServer
import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("held uploads in several zones, and encrypted ones", .timeLimit(.minutes(3)))
struct HeldUploadPlaceTests {
    private static let film = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
    private static let perBatch: Int64 = 20_000

    @Test("an object that moves to another zone while its film is on its way arrives there", arguments: [true, false])
    func moves(isNew: Bool) async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair(model: .withParents)
            a.sync.services.heldUploads.perBatch = Self.perBatch
            try await a.sync.zones.create(named: "Club")
            let note = try await a.add(["title": "film"])
            if !isNew { try await s.settle() }
            try await a.set(note, ["photo": .data(Self.film)])
            let dam = AssetDam()
            defer { dam.open() }
            await s.faults.set { await dam.pass($0) }
            let call = Task { try await a.sync.sync() }
            try await dam.fills()
            try await a.sync.zones.move([note], to: "Club")
            try await a.set(note, ["title": "moved"])
            let other = Task { try await a.sync.sync() }
            // A record on the server is marked first, which waits for its film.
            if isNew { try await dam.fills(2) }
            dam.open()
            await s.faults.clear()
            _ = try await (call.value, other.value)
            try await s.settleMoves()
            for device in [a, b] {
                #expect(try await device.titles() == ["moved"])
                #expect(try await device.sync.zones.zone(of: note).name == "Club")
                let photo = try await device.read { try ($0.existingObject(with: note) as? TestNote)?.photo }
                #expect(photo == Self.film)
            }
        }
    }

    @Test("films in two zones go side by side, and each record into its zone")
    func zones() async throws {
        try await Scenario.run { s in
            let (a, b) = try s.pair(model: .withParents)
            a.sync.services.heldUploads.perBatch = Self.perBatch
            try await a.sync.zones.create(named: "Club")
            try await a.sync.sync()
            let folder = try await a.addFolder("F", inZone: "Club")
            try await a.edit { context in
                for number in 0..<2 {
                    let note = TestNote(context: context)
                    note.title = "film \(number)"
                    note.photo = Self.film + Data([UInt8(number)])
                    if number == 1 { note.folder = try context.existingObject(with: folder) as? TestFolder }
                }
            }
            let dam = AssetDam()
            defer { dam.open() }
            await s.faults.set { await dam.pass($0) }
            let call = Task { try await a.sync.sync() }
            try await dam.fills(2)
            try await b.sync.sync()
            #expect(try await b.titles() == [])
            dam.open()
            await s.faults.clear()
            #expect(try await call.value.sent >= 2)
            try await s.settle()
            #expect(try await b.places() == a.places())
            #expect(try await b.titles() == ["film 0", "film 1"])
        }
    }

    @Test("an encrypted film is sent once, under the key that its record has, though the record is edited meanwhile")
    func encrypted() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(
                nil, model: VaultModel.description,
                [.syncEncryptionKeys: try TestKeys("k1"), .syncRequestTimeout: 60])
            let b = try world.vault(try TestKeys("k1"))
            try await a.sync.sync()
            a.sync.services.heldUploads.perBatch = Self.perBatch
            let dam = AssetDam()
            defer { dam.open() }
            await world.faults.set { await dam.pass($0) }
            let id = try await a.addSecret(["scan": .data(Self.film), "text": .string("a")])
            let call = Task { try await a.sync.sync() }
            try await dam.fills()
            let text = try await a.addSecret(["text": .string("text")])
            let other = Task { try await a.sync.sync() }
            #expect(
                try await eventually {
                    try await b.sync.sync()
                    return try await b.read { (try? $0.existingObject(with: text)) != nil }
                })
            try await a.set(id, ["text": .string("b")])
            dam.open()
            _ = try await (call.value, other.value)
            try await a.sync.sync()
            #expect(await world.faults.requests.count { $0 == "assets bytes" } == 1)
            await world.faults.clear()
            try await b.sync.sync()
            let secret = try await b.secret(id)
            #expect(secret["scan"] == .data(Self.film) && secret["text"] == .string("b"))
        }
    }
}
