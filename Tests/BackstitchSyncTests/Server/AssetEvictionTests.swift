import Backstitch
import BackstitchServer
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("room for assets")
struct AssetEvictionTests {
    private static let size: Int64 = 10_000

    @Test(
        "what was asked for last stays, pinned and unsent bytes stay, and what has gone comes again when it is asked for"
    )
    func evict() async throws {
        try await SyncWorld.run { world in
            let owner = try world.device(),
                device = try world.device("phone", [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            let ids = try await photos(0..<6, on: owner)
            try await owner.sync.sync()
            try await device.sync.sync()
            for id in ids { try await device.sync.assets.download("photo", of: id) }
            try await device.sync.assets.pin("photo", of: ids[0])
            #expect(try await device.sync.assets.isPinned("photo", of: ids[0]))
            let unsent = try await photos(10..<12, on: device)
            // Two photos' room: the pinned and the two unsent ones fill it already, so only the smallest number stays
            // beside them.
            let done = try await device.sync.assets.evict(
                keeping: AssetAllowance(maximumSize: 2 * Self.size, minimumCount: 1))
            #expect(done.evictedCount == 4 && done.evictedSize == 4 * Self.size)
            #expect(done.remainingSize == 4 * Self.size)
            #expect(try await local(ids, device).count == 2)
            #expect(try await local(unsent, device) == unsent)
            #expect(try await local([ids[0]], device) == [ids[0]])
            let gone = try #require(try await remote(ids, device).first)
            #expect(try await device.read { ($0.registeredPhoto(gone)) } == nil)
            #expect(try await device.sync.assets.download("photo", of: gone).size == Int64(Self.size))
            #expect(try await device.sync.assets.state("photo", of: gone) == .local(size: Self.size))
            // Sent and no longer pinned, all may go; the server has everything still.
            try await device.sync.sync()
            try await device.sync.assets.unpin("photo", of: ids[0])
            let all = try await device.sync.assets.evict(keeping: AssetAllowance(maximumSize: 0, minimumCount: 0))
            #expect(all.remainingSize == 0)
            #expect(try await local(ids + unsent, device).isEmpty)
            for id in ids + unsent { try await device.sync.assets.download("photo", of: id) }
            #expect(try await local(ids + unsent, device).count == 8)
            #expect(try await owner.dump().count == 6)
        }
    }

    @Test("enough room costs nobody anything, and bytes that several objects share count once")
    func shared() async throws {
        try await SyncWorld.run { world in
            let device = try world.device("phone")
            let ids = try await device.edit { context in
                (0..<4).map { number in
                    let note = TestNote(context: context)
                    note.photo = Data(repeating: UInt8(number / 2), count: Int(Self.size))
                    return note.objectID
                }
            }
            try await device.sync.sync()
            let enough = try await device.sync.assets.evict(
                keeping: AssetAllowance(maximumSize: 2 * Self.size, minimumCount: 0))
            #expect(enough.evictedCount == 0 && enough.remainingSize == 2 * Self.size)
            // One of the objects that share bytes has them unsent elsewhere: they stay for it.
            try await device.change(ids[3]) { note, _ in note.cover = Data(repeating: 0, count: Int(Self.size)) }
            let rest = try await device.sync.assets.evict(keeping: AssetAllowance(maximumSize: 0, minimumCount: 0))
            #expect(rest.evictedCount == 1 && rest.remainingSize == Self.size)
            #expect(try await local(ids, device) == [ids[0], ids[1]])
        }
    }

    @Test("bytes are not evicted for one object while another needs the same ones here, and the error says why")
    func needed() async throws {
        try await SyncWorld.run { world in
            let device = try world.device("phone")
            let bytes = Data(repeating: 7, count: Int(Self.size))
            let ids = try await device.edit { context in
                (0..<2).map { _ in
                    let note = TestNote(context: context)
                    note.photo = bytes
                    return note.objectID
                }
            }
            try await device.sync.sync()
            let unsent = try await device.addNote("unsent") { note, _ in note.photo = bytes }
            for id in [ids[0], unsent] {
                let error = await #expect(throws: BackstitchError.self) {
                    try await device.sync.assets.evict("photo", of: id)
                }
                #expect(error?.code == .invalidRequest && error?.objectID == id)
                #expect(error?.message.contains("does not have the bytes of \(unsent).photo yet") == true)
            }
            try await device.sync.sync()
            try await device.sync.assets.pin("photo", of: ids[1])
            let error = await #expect(throws: BackstitchError.self) {
                try await device.sync.assets.evict("photo", of: ids[0])
            }
            #expect(error?.message.contains("pinned for \(ids[1]).photo") == true, "\(error?.message ?? "")")
            try await device.sync.assets.unpin("photo", of: ids[1])
            try await device.sync.assets.evict("photo", of: ids[0])
            #expect(try await local(ids + [unsent], device).isEmpty)
            // The server has what was sent.
            for id in ids + [unsent] {
                #expect(try await device.sync.assets.download("photo", of: id).data() == bytes)
            }
        }
    }

    @Test("an object that is saved after the census, with bytes that were about to go, keeps them and sends them")
    func savedMeanwhile() async throws {
        try await SyncWorld.run { world in
            let device = try world.device("phone"), other = try world.device()
            let ids = try await photos(0..<3, on: device)
            try await device.sync.sync()
            let services = device.sync.services, census = try await services.assetCensus()
            let leaving = census.leaving(AssetAllowance(maximumSize: 0, minimumCount: 0)) { _, _ in false }
            #expect(leaving.count == 3)
            // One object comes, one changes, and one is pinned, which history does not tell.
            let copy = try await device.addNote("copy") { note, _ in
                note.photo = Data(repeating: 0, count: Int(Self.size))
            }
            try await device.change(ids[2]) { note, _ in note.cover = Data(repeating: 1, count: Int(Self.size)) }
            let done = try #require(try await services.evict(leaving, of: census))
            #expect(done.gone.flatMap(\.uses).map(\.objectID) == [ids[2]])
            #expect(Set(done.kept.compactMap { $0.need?.use.objectID }) == [copy, ids[2]])
            #expect(try await local(ids + [copy], device) == [ids[0], ids[1], copy])
            try await device.sync.assets.pin("photo", of: ids[1])
            try await device.sync.sync()
            let rest = try #require(try await services.evict(leaving, of: census))
            #expect(rest.gone.flatMap(\.uses).allSatisfy { [ids[0], ids[2], copy].contains($0.objectID) })
            #expect(try await local(ids + [copy], device) == [ids[1]])
            try await other.sync.sync()
            let photo = try await other.read { try ($0.existingObject(with: copy) as? TestNote)?.photo }
            #expect(photo == Data(repeating: 0, count: Int(Self.size)))
        }
    }

    @Test("while somebody reads an older state all bytes stay, and the error says so")
    func olderState() async throws {
        try await SyncWorld.run { world in
            let device = try world.device("phone")
            let ids = try await photos(0..<1, on: device)
            try await device.sync.sync()
            let snapshot = try #require(try await onThread { try device.store.makeSnapshot() })
            let none = try await device.sync.assets.evict(keeping: AssetAllowance(maximumSize: 0, minimumCount: 0))
            #expect(none == AssetEviction(evictedCount: 0, evictedSize: 0, remainingSize: Self.size))
            let error = await #expect(throws: BackstitchError.self) {
                try await device.sync.assets.evict("photo", of: ids[0])
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("an older state of the store") == true, "\(error?.message ?? "")")
            #expect(try await local(ids, device) == ids)
            snapshot.close()
            try await device.sync.assets.evict("photo", of: ids[0])
            #expect(try await local(ids, device).isEmpty)
        }
    }

    @Test(
        "an upload of which a kill leaves half is begun again by the next process, and nothing is lost or left over",
        .onFiles)
    func killedAtHalf() async throws {
        try await SyncWorld.run { world in
            let relay = try HalfwayRelay(to: world.url, after: 1_500_000)
            defer { relay.stop() }
            let probe = try TestProcess(world, folder: world.folder(of: "phone"), server: relay.url)
            #expect(try await probe.nextLine()?.hasPrefix("ready") == true)
            #expect(try await probe.ask("photo 3000000") == "added")
            await relay.waitForHalf()
            probe.kill()
            // The zone belongs to the address in the store. The relay still has that address, and lets everything
            // through now.
            relay.letAllThrough()
            let device = try world.device("phone", [.syncServerURL: relay.url.absoluteString])
            #expect(try await device.sync.status.pendingCount == 1)
            #expect(try await device.sync.sync().sent == 1)
            let other = try world.device()
            #expect(try await other.sync.sync().missingAssets == 0)
            let photo = try await other.read { try $0.fetch(FetchRequest<TestNote>()).first?.photo }
            #expect(photo == Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
            let id = try #require(
                try await device.read { try $0.fetch(FetchRequest<TestNote>()).map(\.objectID) }.first)
            #expect(try await device.sync.assets.state("photo", of: id) == .local(size: 3_000_000))
        }
    }

    private func photos(_ numbers: Range<Int>, on device: SyncDevice) async throws -> [ObjectID] {
        try await device.edit { context in
            numbers.map { number in
                let note = TestNote(context: context)
                note.title = "note \(number)"
                note.photo = Data(repeating: UInt8(number), count: Int(Self.size))
                return note.objectID
            }
        }
    }

    private func local(_ ids: [ObjectID], _ device: SyncDevice) async throws -> [ObjectID] {
        var local: [ObjectID] = []
        for id in ids where try await device.sync.assets.state("photo", of: id) == .local(size: Self.size) {
            local.append(id)
        }
        return local
    }

    private func remote(_ ids: [ObjectID], _ device: SyncDevice) async throws -> [ObjectID] {
        let here = Set(try await local(ids, device))
        return ids.filter { !here.contains($0) }
    }
}

extension ManagedObjectContext {
    fileprivate func registeredPhoto(_ id: ObjectID) -> Data? {
        guard let note = try? existingObject(with: id) as? TestNote else { return Data([1]) }
        return note.photo
    }
}
