import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("transfers of assets that rest", .timeLimit(.minutes(3)))
struct AssetPauseTests {
    private static let photo = Data((0..<5_500_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })

    private func noteWithPhoto(_ world: SyncWorld, _ data: Data = photo) async throws -> ObjectID {
        let device = try world.device()
        let id = try await device.addNote("with photo") { note, _ in note.photo = data }
        try await device.sync.sync()
        await world.faults.clear()
        return id
    }

    @Test("a download that is paused is not begun by a restart, and comes when it is resumed; records come meanwhile")
    func download() async throws {
        try await SyncWorld.run { world in
            let id = try await noteWithPhoto(world)
            let other = try world.device()
            let first = try world.device("phone", [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            try await first.sync.sync()
            try await first.sync.assets.pause("photo", of: id)
            try first.close()
            let second = try world.device("phone")
            _ = try await other.addNote("another") { note, _ in note.photo = Data(count: 20_000) }
            _ = try await converge(other, second)
            #expect(try await second.titles() == ["another", "with photo"])
            #expect(try await second.sync.assets.isPaused("photo", of: id))
            let size = Int64(Self.photo.count)
            #expect(try await second.sync.assets.state("photo", of: id) == .paused(.download, size: size))
            let error = await #expect(throws: BackstitchError.self) {
                try await second.sync.assets.download("photo", of: id)
            }
            #expect(error?.code == .syncPaused && error?.objectID == id && error?.key == "photo")
            try await second.sync.assets.resume("photo", of: id)
            #expect(try await second.sync.assets.download("photo", of: id).data() == Self.photo)
        }
    }

    @Test("a pause ends a download under way, what has come is kept, and no failure is noted")
    func downloadUnderWay() async throws {
        try await SyncWorld.run { world in
            let id = try await noteWithPhoto(world)
            let device = try world.device(nil, [.syncRequestTimeout: 60])
            let pieces = Locked(0)
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            await world.faults.set { request in
                guard request.endpoint.contains("asset") else { return nil }
                let number = pieces.withLock { count in
                    count += 1
                    return count
                }
                guard number == 3 else { return nil }
                arrived.yield()
                for await _ in permits { break }
                return nil
            }
            async let cycle = device.sync.sync()
            for await _ in arrivals { break }
            try await device.sync.assets.pause("photo", of: id)
            #expect(try await cycle.missingAssets == 1)
            permit.finish()
            #expect(try await device.sync.assets.missing().map(\.reason) == [nil])
            await world.faults.clear()
            #expect(try await device.sync.sync().missingAssets == 1)
            #expect(await world.faults.requests.count { $0.contains("asset") } == 0)
            try await device.sync.assets.resume("photo", of: id)
            #expect(try await device.sync.sync().missingAssets == 0)
            // Two pieces of six had come.
            #expect(await world.faults.requests.count { $0.contains("asset") } == 4)
            #expect(try await device.sync.assets.state("photo", of: id) == .local(size: Int64(Self.photo.count)))
        }
    }

    @Test("who waits for a download whose transfers come to rest gets that as an error; for other objects it goes on")
    func waiters() async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let ids = try await a.edit { context in
                (0..<2).map { number in
                    let note = TestNote(context: context)
                    note.photo = Self.photo
                    return note.objectID
                }
            }
            try await a.sync.sync()
            let b = try world.device(nil, [.excludedUnchangingAsyncAssetKeys: ["photo"], .syncRequestTimeout: 60])
            try await b.sync.sync()
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            let made = Locked(0)
            await world.faults.set { request in
                guard request.endpoint.contains("asset"),
                    made.withLock({
                        $0 += 1; return $0 == 2
                    })
                else { return nil }
                arrived.yield()
                for await _ in permits { break }
                return nil
            }
            async let one = b.sync.assets.download("photo", of: ids[0])
            let other = Task { try await b.sync.assets.download("photo", of: ids[1]) }
            for await _ in arrivals { break }
            try await b.sync.assets.pause("photo", of: ids[1])
            let error = await #expect(throws: BackstitchError.self) { try await other.value }
            #expect(error?.code == .syncPaused)
            permit.finish()
            #expect(try await one.data() == Self.photo)
        }
    }

    @Test(
        "a record whose upload is paused stays unsent and says so, over a restart; others go, and it goes when resumed")
    func upload() async throws {
        try await SyncWorld.run { world in
            let first = try world.device("phone")
            try await first.sync.sync()
            let id = try await first.addNote("with photo") { note, _ in note.photo = Self.photo }
            try await first.sync.assets.pause("photo", of: id)
            #expect(
                try await first.sync.assets.state("photo", of: id)
                    == .paused(.upload, size: Int64(Self.photo.count)))
            _ = try await first.addNote("another")
            let summary = try await first.sync.sync()
            #expect(summary.sent == 1 && summary.blocked.map(\.objectID) == [id])
            try first.close()

            let second = try world.device("phone")
            await world.faults.clear()
            try await second.sync.sync()
            #expect(await world.faults.requests.count { $0.contains("asset") } == 0)
            guard case .blocked(.insert, let reason)? = try await second.sync.objects.states(of: [id])[id]?.phase else {
                throw TestFailure("\(try await second.sync.objects.states(of: [id]))")
            }
            #expect(reason.contains("photo") && reason.contains("paused"))
            #expect(
                try await second.sync.assets.state("photo", of: id)
                    == .paused(.upload, size: Int64(Self.photo.count)))
            // A save of the object does not send it either.
            try await second.change(id) { note, _ in note.title = "edited" }
            #expect(try await second.sync.sync().sent == 0)
            try await second.sync.assets.resume("photo", of: id)
            #expect(try await second.sync.sync().sent == 1)
            #expect(try await second.sync.status.blockedCount == 0)
            let other = try world.device()
            try await other.sync.sync()
            #expect(try await other.dump() == second.dump())
        }
    }

    @Test("a pause of all ends uploads under way, and what the server has of them is not sent again")
    func uploadUnderWay() async throws {
        try await SyncWorld.run { world in
            let device = try world.device(nil, [.syncRequestTimeout: 60])
            try await device.sync.sync()
            let ids = try await device.edit { context in
                (0..<3).map { number in
                    let note = TestNote(context: context)
                    note.title = "\(number)"
                    if number > 0 { note.photo = Self.photo + Data([UInt8(number)]) }
                    return note.objectID
                }
            }
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            let made = Locked(0)
            await world.faults.set { request in
                guard request.endpoint == "assets bytes" else { return nil }
                let number = made.withLock { count in
                    count += 1
                    return count
                }
                // For each the question how much there is, and a part of 4 MiB, side by side; the rest waits.
                guard number > 4 else {
                    _ = try? await eventually { made.withLock { $0 } >= (number + 1) / 2 * 2 }
                    return nil
                }
                arrived.yield()
                for await _ in permits { break }
                // No call waits for it any more.
                return .dropConnection
            }
            async let cycle = device.sync.sync()
            for await _ in arrivals { break }
            try await device.sync.assets.pause()
            let summary = try await cycle
            permit.finish()
            #expect(summary.sent == 1 && Set(summary.blocked.map(\.objectID)) == Set(ids[1...]))
            #expect(try await device.sync.assets.isPaused)
            await world.faults.clear()
            #expect(try await device.sync.sync().sent == 0)
            try await device.sync.assets.resume()
            #expect(try await device.sync.sync().sent == 2)
            #expect(try await device.sync.assets.isPaused == false)
            let other = try world.device()
            try await other.sync.sync()
            #expect(try await other.dump() == device.dump())
        }
    }

    @Test("an upload that is cancelled sets its change aside with that cause; equal bytes of another object go on")
    func cancelUpload() async throws {
        try await SyncWorld.run { world in
            let device = try world.device(nil, [.syncRequestTimeout: 60])
            try await device.sync.sync()
            let ids = try await device.edit { context in
                (0..<2).map { number in
                    let note = TestNote(context: context)
                    note.photo = Self.photo
                    return note.objectID
                }
            }
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            await world.faults.set { request in
                guard request.endpoint == "assets bytes" else { return nil }
                arrived.yield()
                for await _ in permits { break }
                return nil
            }
            async let cycle = device.sync.sync()
            for await _ in arrivals { break }
            try await device.sync.assets.cancelUpload("photo", of: ids[0])
            permit.finish()
            let summary = try await cycle
            #expect(summary.sent == 1 && summary.blocked.map(\.objectID) == [ids[0]])
            #expect(summary.blocked.first?.reason.contains("cancelled") == true)
            await world.faults.clear()
            try await device.sync.blocked.retry(ids)
            #expect(try await device.sync.sync().sent == 1)
            let other = try world.device()
            try await other.sync.sync()
            #expect(try await other.dump() == device.dump())
        }
    }
}
