import Backstitch
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// Devices whose server returns to a backup.
@Suite("servers that go back to an earlier state")
struct RestoredServerTests {
    @Test(
        "what the backup lacks is sent again by whoever has it, and nothing is overwritten",
        arguments: RestorableServer.Notice.allCases)
    func sentAgain(_ how: RestorableServer.Notice) async throws {
        let parent = FileManager.default.temporaryDirectory.appending(
            path: "backstitch-restored-\(ObjectIDGenerator().next().uuidString)")
        defer { try? FileManager.default.removeItem(at: parent) }
        let host = RestorableServer(parent)
        let url = try await host.start()
        func device(_ more: [StoreOption: any Sendable] = [:]) throws -> SyncDevice {
            let options: [StoreOption: any Sendable] = [
                .syncServerURL: url.absoluteString, .syncOnSave: false, .syncAutomatically: false,
                .syncRequestTimeout: 5,
            ]
            return try SyncDevice(options: options.merging(more) { $1 }, url: nil)
        }
        // B has no bytes of photos, and is the first that sends the changes missing in the backup.
        let a = try device(), b = try device([.excludedUnchangingAsyncAssetKeys: ["photo"]]), c = try device()
        let all = [a, b, c]
        let first = try await a.addNote("first")
        let second = try await a.addNote("second") { note, _ in note.photo = Data([9]) }
        let untouched = try await a.addNote("untouched")
        let third = try await a.addNote("deleted before the backup")
        for device in all { try await device.sync.sync() }
        try await a.delete(third)
        try await a.sync.sync()
        try await host.backUp()

        // All of this is acknowledged, and the backup has none of it. C hears of nothing.
        try await a.change(second) { note, _ in
            note.title = "second, edited"
            note.photo = Data([8])
        }
        let later = try await a.addNote(
            "after the backup",
            {
                $0.photo = Data([1, 2, 3]); _ = $1
            })
        try await a.sync.sync()
        try await b.sync.sync()
        try await b.change(first) { note, _ in note.body = "edited by b" }
        _ = try await b.addNote("by b alone")
        try await b.sync.sync()
        // Unsent edits then stand on versions that the server is about to lose.
        try await a.change(second) { note, _ in note.rank = 7 }
        try await c.change(untouched) { note, _ in note.rank = 9 }

        try await host.restore(noticed: how)
        _ = try await c.addNote("in the new history")
        for device in [c, b, a, c, b, a] { try await device.sync.sync() }

        let titles = ["after the backup", "by b alone", "first", "in the new history", "second, edited", "untouched"]
        for device in all {
            #expect(try await device.titles() == titles)
            #expect(try await device.dump() == a.dump())
            let status = try await device.sync.status
            #expect(status.pendingCount == 0 && status.blockedCount == 0)
            try await device.read { context in
                let one = try #require(try context.existingObject(with: first) as? TestNote)
                #expect(one.body == "edited by b")
                let two = try #require(try context.existingObject(with: second) as? TestNote)
                #expect(two.rank == 7)
                #expect((try context.existingObject(with: untouched) as? TestNote)?.rank == 9)
            }
            #expect(try await device.sync.assets.download("photo", of: later).data() == Data([1, 2, 3]))
            // B has sent the rest of the note, and left the backup's photo in place.
            #expect(try await device.sync.assets.download("photo", of: second).data() == Data([9]))
        }
        let view = try WireView(url: url)
        #expect(Set(try await view.all().compactMap { $0.value("title") }) == Set(titles.map { WireValue.string($0) }))
        for device in all { try device.close() }
        try await host.stop()
    }
}
