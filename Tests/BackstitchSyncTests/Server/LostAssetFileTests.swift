import Backstitch
import BackstitchServer
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("assets whose file the server has lost")
struct LostAssetFileTests {
    @Test("they are listed with the cause, asked for no more until their wait is over, and come when the file is back")
    func lost() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "backstitch-lost-\(ObjectIDGenerator().next().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await SyncWorld.run(configure: { $0.storage = .directory(folder) }) { world in
            let a = try world.device()
            let id = try await a.addNote("with cover") { note, _ in note.cover = Data("cover".utf8) }
            try await a.sync.sync()
            let file = try #require(try files(in: folder.appending(path: "assets")).first)
            let aside = folder.appending(path: "aside")
            try FileManager.default.moveItem(at: file, to: aside)

            let b = try world.device("b")
            let start = Date.now
            await world.faults.clear()
            #expect(try await b.sync.sync().missingAssets == 1)
            let asked = await world.faults.requests.count { $0 == "assets download" }
            #expect(asked > 0)
            // The record itself is here, and its bytes are not requested at every sync.
            #expect(try await b.titles() == ["with cover"])
            for _ in 0..<5 { #expect(try await b.sync.sync().missingAssets == 1) }
            #expect(await world.faults.requests.count { $0 == "assets download" } == asked)
            let missing = try #require(try await b.sync.assets.missing().first)
            #expect(missing.objectID == id && missing.key == "cover" && missing.size == 5 && missing.attempts == 1)
            #expect(missing.reason?.contains("does not have the bytes") == true, "\(missing.reason ?? "no reason")")
            #expect(try #require(missing.nextTry) > start.addingTimeInterval(25))

            // The wait is over, and the file still gone: the next wait is longer.
            try await letWaitEnd(of: b)
            #expect(try await b.sync.sync().missingAssets == 1)
            let again = try #require(try await b.sync.assets.missing().first)
            #expect(again.attempts == 2)
            #expect(try #require(again.nextTry) > start.addingTimeInterval(55))

            try FileManager.default.moveItem(at: aside, to: file)
            #expect(try await b.sync.sync().missingAssets == 1)
            try b.close()
            let reopened = try world.device("b")
            #expect(try await reopened.sync.assets.missing() == [again])
            try await letWaitEnd(of: reopened)
            #expect(try await reopened.sync.sync().missingAssets == 0)
            #expect(try await reopened.sync.assets.missing().isEmpty)
            let cover = try await reopened.read { try ($0.existingObject(with: id) as? TestNote)?.cover }
            #expect(cover == Data("cover".utf8))
        }
    }

    private func files(in folder: URL) throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { folder.appending(path: $0) }.filter {
            try FileManager.default.attributesOfItem(atPath: $0.path)[.type] as? FileAttributeType == .typeRegular
        }
    }

    /// Puts the time of the next try into the past, as if the device had waited.
    private func letWaitEnd(of device: SyncDevice) async throws {
        try await device.sync.services.onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                for var wanted in try WantedAsset.all(in: journal) {
                    wanted.failure?.nextTry = 0
                    try journal.setNote(.wanted, of: wanted.place, to: wanted)
                }
            }
        }
    }
}
