import Backstitch
import BackstitchSimulator
import BackstitchSync
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("assets of servers that are not ours")
struct PlainAssetTests {
    private static let photo = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })

    @Test(
        "bytes come whose checksum looks like ours and is another one; small and in pieces, at once and when asked for")
    func opaque() async throws {
        try await PlainWorld.run { world in
            let a = try world.device(), b = try world.device(nil, [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            let id = try await a.addNote("with photo") { note, _ in
                note.photo = Self.photo
                note.cover = Data("cover".utf8)
            }
            try await a.sync.sync()
            #expect(try await b.sync.sync().missingAssets == 0)
            #expect(try await b.read { try ($0.existingObject(with: id) as? TestNote)?.cover } == Data("cover".utf8))
            #expect(try await b.sync.assets.download("photo", of: id).data() == Self.photo)
        }
    }

    @Test("what somebody else edits takes no bytes away from who has sent them, and costs no download")
    func alias() async throws {
        try await PlainWorld.run { world in
            let a = try world.device(nil, [.excludedUnchangingAsyncAssetKeys: ["photo"]]), b = try world.device()
            let id = try await a.addNote("with photo") { note, _ in note.photo = Data("photo".utf8) }
            _ = try await converge(a, b)
            let before = world.server.counts["blob", default: 0]
            try await b.change(id) { note, _ in note.title = "edited" }
            _ = try await converge(b, a)
            #expect(try await a.titles() == ["edited"])
            #expect(try await a.read { try ($0.existingObject(with: id) as? TestNote)?.photo } == Data("photo".utf8))
            #expect(world.server.counts["blob", default: 0] == before)
        }
    }

    @Test("bytes that cannot be had are listed with the cause, and not fetched again at every sync")
    func failure() async throws {
        try await PlainWorld.run { world in
            let a = try world.device()
            let id = try await a.addNote("with cover") { note, _ in note.cover = Data("cover".utf8) }
            try await a.sync.sync()
            world.interfere { request, answer in
                request.path.contains("/blob/") ? .answer(status: 200, body: Array(answer.body.dropLast())) : nil
            }
            let b = try world.device("b")
            for _ in 0..<10 { #expect(try await b.sync.sync().missingAssets == 1) }
            #expect(world.server.counts["blob"] == 1)
            let missing = try #require(try await b.sync.assets.missing().first)
            #expect(missing.objectID == id && missing.key == "cover" && missing.size == 5)
            #expect(missing.attempts == 1)
            #expect(missing.reason?.contains("4, not 5") == true, "\(missing.reason ?? "no reason")")
            #expect(missing.nextTry != nil)
            // A restart forgets nothing.
            try b.close()
            let again = try world.device("b")
            #expect(try await again.sync.sync().missingAssets == 1)
            #expect(try await again.sync.assets.missing() == [missing])
            #expect(world.server.counts["blob"] == 1)
            world.interfere(nil)
            try await again.sync.assets.retryMissing()
            #expect(try await again.sync.sync().missingAssets == 0)
            #expect(try await again.sync.assets.missing().isEmpty)
        }
    }

    @Test("of bytes that have no end no more is read than the asset has")
    func endless() async throws {
        try await PlainWorld.run { world in
            let a = try world.device()
            _ = try await a.addNote("with cover") { note, _ in note.cover = Data("cover".utf8) }
            try await a.sync.sync()
            world.interfere { request, _ in
                guard request.path.contains("/blob/") else { return nil }
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n"
                return .raw(Array(head.utf8) + [UInt8](repeating: 1, count: 1 << 20))
            }
            let b = try world.device()
            #expect(try await b.sync.sync().missingAssets == 1)
            let reason = try await b.sync.assets.missing().first?.reason ?? ""
            #expect(reason.contains("larger than 1029 bytes"), "\(reason)")
        }
    }

    @Test("tries that fail are counted and come later and later, and no clock that goes back adds to that")
    func waits() throws {
        var wanted = WantedAsset(
            objectID: noteID(1), key: "cover", recordName: "note", reference: AssetReference(checksum: "c", size: 5))
        #expect(wanted.isDue(at: 0))
        var waits: [Int64] = []
        let now: Int64 = 1_000_000_000_000
        for attempt in 1...30 {
            wanted.failed(RecordFault("they are others"), at: now)
            let failure = try #require(wanted.failure)
            #expect(failure.attempts == attempt)
            waits.append(failure.nextTry - now)
            #expect(!wanted.isDue(at: failure.nextTry - 1) && wanted.isDue(at: failure.nextTry))
        }
        #expect(waits[0] <= 60_000 && waits[0] < waits[2] && waits[2] < waits[4])
        #expect(waits.allSatisfy { (30_000...6 * 3_600_000).contains($0) })
        // Turned back by a little, or by more than any wait.
        #expect(wanted.isDue(at: now - 1) && wanted.isDue(at: now - 24 * 3_600_000))
    }

    @Test("while the server cannot be reached the first tries come at once, and later ones wait")
    func badLine() throws {
        var wanted = WantedAsset(
            objectID: noteID(1), key: "cover", recordName: "note", reference: AssetReference(checksum: "c", size: 5))
        var waits: [Int64] = []
        for _ in 0..<20 {
            wanted.failed(SyncFailure.offline, at: 1_000)
            waits.append(try #require(wanted.failure).nextTry - 1_000)
        }
        #expect(waits[0] == 0 && waits[1] == 0)
        #expect(waits[2...].allSatisfy { (15_000...600_000).contains($0) }, "\(waits)")
    }

    @Test(
        "an asset of a size that none can have is parked with its record; others go on",
        arguments: [-1, Int64.max, .min, 1 << 40])
    func sizes(_ size: Int64) async throws {
        try await PlainWorld.run { world in
            let a = try world.device()
            _ = try await a.addNote("lies") { note, _ in note.cover = Data("cover".utf8) }
            _ = try await a.addNote("fine") { note, _ in note.cover = Data("fine".utf8) }
            try await a.sync.sync()
            world.interfere { request, answer in
                guard request.path.contains("changes/zone") else { return nil }
                let text = String(decoding: answer.body, as: UTF8.self)
                return .answer(
                    status: 200, headers: answer.headers,
                    body: Array(text.replacing(#""size":5"#, with: #""size":\#(size)"#).utf8))
            }
            let b = try world.device()
            let summary = try await b.sync.sync()
            #expect(summary.parked.count == 1)
            #expect(summary.parked.first?.reason.contains("asset of \(size) bytes") == true, "\(summary.parked)")
            #expect(try await b.titles() == ["fine"])
        }
    }

    @Test(
        "a store that has noted an asset of such a size already opens, syncs, and lists it", arguments: [-7, Int64.max])
    func notedSizes(_ size: Int64) async throws {
        try await PlainWorld.run { world in
            let b = try world.device("b")
            let id = try await b.addNote("old")
            try await b.sync.sync()
            let reference = AssetReference(checksum: "old", size: size)
            let wanted = WantedAsset(
                objectID: id, key: "cover", recordName: id.key.uuidString, reference: reference,
                downloadURL: "\(world.url)/blob/none")
            try await b.sync.services.onStore { store in
                try store.writeJournal(author: SyncAuthor.name) { journal in
                    let entity = try #require(b.sync.services.settings.model.entity(named: "Note")?.entity)
                    let rows = try journal.rows(of: entity, keys: [id.key])
                    var builder = RowBatchBuilder(entity: entity, capacity: 1)
                    builder.beginRow(key: id.key, version: rows.versions[0])
                    for column in entity.columns {
                        if column.name == "cover" {
                            builder.append(.asset(reference))
                        } else {
                            builder.appendCell(column.slot, row: 0, of: rows)
                        }
                    }
                    try journal.upsert(builder.finish())
                    try journal.setNote(.wanted, of: wanted.place, to: wanted)
                }
            }
            try b.close()
            let again = try world.device("b")
            #expect(try await again.sync.sync().missingAssets == 1)
            #expect(try await again.sync.assets.missing().first?.reason?.contains("asset of \(size) bytes") == true)
            await #expect(throws: BackstitchError.self) { try await again.sync.assets.download("cover", of: id) }
        }
    }

    @Test("the bytes of assets go to no host that the program has not named, and the change says so")
    func hosts() async throws {
        try await PlainWorld.run { world in
            world.server.setAddress(world.url.absoluteString.replacing("127.0.0.1", with: "localhost"))
            let a = try world.device(nil, [.syncAssetHosts: ["assets.example.org"]])
            _ = try await a.addNote("with cover") { note, _ in note.cover = Data("cover".utf8) }
            let blocked = try await a.sync.sync().blocked
            #expect(blocked.first?.reason.contains("syncAssetHosts") == true, "\(blocked)")
            #expect(world.server.counts["upload"] == nil)
            let b = try world.device(nil, [.syncAssetHosts: ["LOCALHOST"]])
            _ = try await b.addNote("other") { note, _ in note.cover = Data("other".utf8) }
            #expect(try await b.sync.sync().blocked.isEmpty)
            #expect(try await a.sync.sync().missingAssets == 1)
            #expect(try await a.sync.assets.missing().first?.reason?.contains("syncAssetHosts") == true)
        }
    }
}
