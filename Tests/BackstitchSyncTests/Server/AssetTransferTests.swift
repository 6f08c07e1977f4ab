import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("transfers of assets")
struct AssetTransferTests {
    private static let photo = Data((0..<5_500_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })

    @Test("a download that breaks off goes on from there, also after a restart, and leaves no file behind", .onFiles)
    func resume() async throws {
        try await SyncWorld.run { world in
            let id = try await upload(Self.photo, to: world)
            let first = try world.device("phone", [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            try await first.sync.sync()
            await world.faults.cutAssets(after: 3)
            let error = await #expect(throws: BackstitchError.self) {
                try await first.sync.assets.download("photo", of: id)
            }
            #expect(error?.code == .network)
            #expect(try await first.sync.assets.state("photo", of: id) == .remote(size: Int64(Self.photo.count)))
            try first.close()
            let folder = world.folder(of: "phone").appending(path: "store.sqlite.sync-downloads")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
            await world.faults.clear()
            let second = try world.device("phone", [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            #expect(try await second.sync.assets.download("photo", of: id).data() == Self.photo)
            #expect(await world.faults.requests.count { $0.contains("asset") } == 3)
            #expect(!FileManager.default.fileExists(atPath: folder.path))
            #expect(try temporaryFiles(of: world, "phone").isEmpty)
        }
    }

    @Test(
        "who asks for the same bytes shares the download, progress rises, and one who leaves does not end it for others"
    )
    func shared() async throws {
        try await SyncWorld.run { world in
            let id = try await upload(Self.photo, to: world)
            let device = try world.device(nil, [.excludedUnchangingAsyncAssetKeys: ["photo"], .syncRequestTimeout: 60])
            try await device.sync.sync()
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            await world.faults.set { request in
                guard request.endpoint.contains("asset") else { return nil }
                arrived.yield()
                for await _ in permits { break }
                return nil
            }
            let progress = Locked<[Double]>([])
            async let one = device.sync.assets.download("photo", of: id) { part in
                progress.withLock { $0.append(part) }
            }
            for await _ in arrivals { break }
            let leaving = Task { try await device.sync.assets.download("photo", of: id) }
            guard case .downloading = try await device.sync.assets.state("photo", of: id) else {
                Issue.record("it is not downloading")
                return
            }
            leaving.cancel()
            permit.finish()
            _ = await leaving.result
            #expect(try await one.data() == Self.photo)
            #expect(await world.faults.requests.count { $0.contains("asset") } == 6)
            let parts = progress.withLock { $0 }
            #expect(parts == parts.sorted() && parts.last == 1 && parts.count > 5)
        }
    }

    @Test(
        "a cancelled download leaves the attribute as it was, and what has come is not asked for again",
        arguments: [true, false])
    func cancel(byCall: Bool) async throws {
        try await SyncWorld.run { world in
            let id = try await upload(Self.photo, to: world)
            let device = try world.device(nil, [.excludedUnchangingAsyncAssetKeys: ["photo"], .syncRequestTimeout: 60])
            try await device.sync.sync()
            let pieces = Locked(0)
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            await world.faults.set { request in
                guard request.endpoint.contains("asset") else { return nil }
                guard
                    pieces.withLock({ count in
                        count += 1
                        return count == 3
                    })
                else { return nil }
                arrived.yield()
                for await _ in permits { break }
                return nil
            }
            let task = Task { try await device.sync.assets.download("photo", of: id) }
            for await _ in arrivals { break }
            if byCall { try await device.sync.assets.cancelDownload("photo", of: id) } else { task.cancel() }
            await #expect(throws: (any Error).self) { try await task.value }
            permit.finish()
            #expect(
                try await eventually {
                    try await device.sync.assets.state("photo", of: id) == .remote(size: Int64(Self.photo.count))
                })
            await world.faults.clear()
            #expect(try await device.sync.assets.download("photo", of: id).data() == Self.photo)
            #expect(await world.faults.requests.count { $0.contains("asset") } == 4)
        }
    }

    @Test("bytes that are not those of the record are refused by their hash, and are not gone on with", .onFiles)
    func damaged() async throws {
        try await SyncWorld.run { world in
            let id = try await upload(Self.photo, to: world)
            let device = try world.device("phone", [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            try await device.sync.sync()
            await world.faults.cutAssets(after: 2)
            await #expect(throws: BackstitchError.self) { try await device.sync.assets.download("photo", of: id) }
            await world.faults.clear()
            let folder = world.folder(of: "phone").appending(path: "store.sqlite.sync-downloads")
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
            let file = folder.appending(path: name)
            var bytes = try Data(contentsOf: file)
            bytes[1_000] ^= 0xFF
            try bytes.write(to: file)
            let error = await #expect(throws: BackstitchError.self) {
                try await device.sync.assets.download("photo", of: id)
            }
            #expect(error?.code == .asset)
            #expect(try await device.sync.assets.download("photo", of: id).data() == Self.photo)
        }
    }

    @Test("bytes can be given up here, once the server has them, and come again; equal bytes travel and lie once")
    func evict() async throws {
        try await SyncWorld.run { world in
            let device = try world.device("phone")
            let ids = try await device.edit { context in
                (0..<3).map { number in
                    let note = TestNote(context: context)
                    note.title = "note \(number)"
                    note.photo = Data(repeating: 7, count: 50_000)
                    return note.objectID
                }
            }
            let unsent = await #expect(throws: BackstitchError.self) {
                try await device.sync.assets.evict("photo", of: ids[0])
            }
            #expect(unsent?.code == .invalidRequest)
            try await device.sync.sync()
            try await device.sync.assets.evict("photo", of: ids[0])
            #expect(try await device.sync.assets.state("photo", of: ids[0]) == .remote(size: 50_000))
            let other = try world.device("tablet", [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            try await other.sync.sync()
            await world.faults.clear()
            for id in ids { #expect(try await other.sync.assets.download("photo", of: id).size == 50_000) }
            #expect(await world.faults.requests.count { $0.contains("asset") } == 1)
            #expect(try await device.sync.assets.download("photo", of: ids[1]).size == 50_000)
            #expect(try await device.sync.assets.state("photo", of: ids[0]) == .local(size: 50_000))
        }
    }

    @Test("an upload that a kill interrupts is made by the next process", .onFiles)
    func uploadSurvives() async throws {
        try await SyncWorld.run { world in
            let arrived = AsyncStream<Void>.makeStream()
            await world.faults.set { request in
                guard request.endpoint.contains("asset") else { return nil }
                arrived.continuation.yield()
                return .delay(milliseconds: 20_000)
            }
            let probe = try TestProcess(world, folder: world.folder(of: "phone"))
            #expect(try await probe.nextLine()?.hasPrefix("ready") == true)
            #expect(try await probe.ask("photo 3000000") == "added")
            for await _ in arrived.stream { break }
            probe.kill()
            await world.faults.clear()
            let device = try world.device("phone")
            #expect(try await device.sync.status.pendingCount == 1)
            try await device.sync.sync()
            let other = try world.device()
            #expect(try await other.sync.sync().missingAssets == 0)
            let photo = try await other.read { try $0.fetch(FetchRequest<TestNote>()).first?.photo }
            #expect(photo == Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
            #expect(try temporaryFiles(of: world, "phone").isEmpty)
        }
    }

    @Test("equal bytes of several objects go once", arguments: [1_000, 5_000_000])
    func equalUploads(_ size: Int) async throws {
        try await SyncWorld.run { world in
            let device = try world.device()
            try await device.sync.sync()
            let photos = (0..<2).map { Data(repeating: UInt8($0), count: size) }
            try await device.container.perform { context in
                for number in 0..<30 { TestNote(context: context).photo = photos[number % 2] }
                try context.save()
            }
            try await device.sync.sync()
            let sent = await world.faults.requests.count { $0 == "assets bytes" }
            // A large one is asked about first, and takes two parts.
            #expect(sent == (size > 4 << 20 ? 6 : 2))
            let other = try world.device()
            try await other.sync.sync()
            let come = try await other.container.perform { context in
                try context.fetch(FetchRequest<TestNote>()).map(\.photo)
            }
            #expect(come.count { $0 == photos[0] } == 15 && come.count { $0 == photos[1] } == 15)
        }
    }

    @Test("an upload tells how far it has got, and goes on where the connection broke")
    func uploadGoesOn() async throws {
        try await SyncWorld.run { world in
            let device = try world.device()
            try await device.sync.sync()
            let id = try await device.addNote("with photo") { note, _ in note.photo = Self.photo }
            let (states, made) = (Locked<[AssetState]>([]), Locked(0))
            await world.faults.set { request in
                guard request.endpoint == "assets bytes" else { return nil }
                if let state = try? await device.sync.assets.state("photo", of: id) {
                    states.withLock { $0.append(state) }
                }
                // The request for the present size, a part of 4 MiB, and the rest, whose first try is cut off.
                return made.withLock { made in
                    made += 1
                    return made == 3 ? .dropConnection : nil
                }
            }
            // It continues by itself: it asks for the present size again, and sends the rest.
            try await device.sync.sync()
            let size = Int64(Self.photo.count), part = Double(4 << 20) / Double(size)
            #expect(
                states.withLock { $0 } == [0, 0, part, part, part].map { .uploading(size: size, fraction: $0) })
            #expect(try await device.sync.status.pendingCount == 0)
            let other = try world.device()
            try await other.sync.sync()
            #expect(try await other.sync.assets.download("photo", of: id).data() == Self.photo)
        }
    }

    @Test("an asset larger than syncAutomaticAssetSize comes when it is asked for, a smaller one by itself")
    func automaticSize() async throws {
        try await SyncWorld.run { world in
            let id = try await upload(Self.photo, to: world)
            let first = try world.device(nil, [.syncAutomaticAssetSize: Self.photo.count - 1])
            let second = try world.device(nil, [.syncAutomaticAssetSize: Self.photo.count])
            for device in [first, second] { try await device.sync.sync() }
            #expect(try await first.sync.assets.state("photo", of: id) == .remote(size: Int64(Self.photo.count)))
            #expect(try await second.sync.assets.state("photo", of: id) == .local(size: Int64(Self.photo.count)))
            #expect(try await first.sync.assets.remote().map(\.objectID) == [id])
            #expect(try await first.sync.assets.download("photo", of: id).data() == Self.photo)
        }
    }

    private func upload(_ data: Data, to world: SyncWorld) async throws -> ObjectID {
        let device = try world.device()
        let id = try await device.addNote("with photo") { note, _ in note.photo = data }
        try await device.sync.sync()
        await world.faults.clear()
        return id
    }

    private func temporaryFiles(of world: SyncWorld, _ name: String) throws -> [String] {
        let folder = world.folder(of: name).appending(path: "store.sqlite-assets")
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.contains("temporary/") }
    }
}
