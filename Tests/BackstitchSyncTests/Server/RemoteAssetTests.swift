import Backstitch
import BackstitchServer
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("assets that are on the server only")
struct RemoteAssetTests {
    private static let photo = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    enum Undone: String, CaseIterable { case change, changeOfMore, deletion }

    @Test("what is undone before it is sent leaves them there for everybody", arguments: Undone.allCases)
    func undone(_ undone: Undone) async throws {
        try await SyncWorld.run { world in
            let owner = try world.device()
            let phone = try world.device(nil, [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            let id = try await owner.addNote("note") { note, _ in note.photo = Self.photo }
            try await owner.sync.sync()
            try await phone.sync.sync()
            try await phone.read { context in
                context.undoManager = ContextUndoManager()
                let note = try #require(try context.existingObject(with: id) as? TestNote)
                if undone == .deletion { context.delete(note) } else { note.photo = Data([4]) }
                try context.save()
                context.undo()
                if undone == .changeOfMore { note.body = "edited" }
                try context.save()
            }
            #expect(try await phone.sync.status.pendingCount == 1)
            let dumps = try await converge(phone, owner)
            #expect(dumps[0] == dumps[1])
            #expect(try await phone.sync.status.pendingCount == 0)
            #expect(try await phone.sync.assets.state("photo", of: id) == .remote(size: 20_000))
            #expect(try await phone.sync.assets.download("photo", of: id).data() == Self.photo)
            let other = try world.device()
            #expect(try await other.sync.sync().missingAssets == 0)
            for device in [owner, other] {
                let photo = try await device.read { try ($0.existingObject(with: id) as? TestNote)?.photo }
                #expect(photo == Self.photo)
            }
        }
    }

    @Test("in place of bytes that never came here come those with which another device has filled the next zone")
    func nextZone() async throws {
        try await SyncWorld.run { world in
            let owner = try world.device(), phone = try world.device(policy: .clientWins), view = try WireView(world)
            let id = try await owner.addNote("note") { note, _ in note.photo = Data([4]) }
            try await owner.sync.sync()
            try await phone.sync.assets.pause()
            #expect(try await phone.sync.sync().missingAssets == 1)
            try await view.deleteZone()
            try await owner.change(id) { note, _ in note.photo = Self.photo }
            for device in [owner, phone, owner, phone] { try await device.sync.sync() }
            try await phone.sync.assets.resume()
            #expect(try await phone.sync.sync().missingAssets == 0)
            for device in [owner, phone] {
                let photo = try await device.read { try ($0.existingObject(with: id) as? TestNote)?.photo }
                #expect(photo == Self.photo)
            }
        }
    }
}
