import Backstitch
import BackstitchServer
import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("downloads of several assets", .timeLimit(.minutes(3)))
struct AssetDownloadsTests {
    private struct Words: SyncConnectivity {
        func maySync(for reason: SyncReason) async -> Bool { reason != "not over mobile data" }
    }

    /// Devices and notes. The second device has five notes without their photos.
    private func run(_ body: (SyncWorld, SyncDevice, [ObjectID]) async throws -> Void) async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            var ids: [ObjectID] = []
            for number in 0..<5 {
                ids.append(
                    try await a.addNote("\(number)") { note, _ in
                        note.photo = Data(repeating: UInt8(number), count: 40_000 + number)
                    })
            }
            _ = try await a.addNote("without a photo")
            try await a.sync.sync()
            let options: [StoreOption: any Sendable] = [
                .excludedUnchangingAsyncAssetKeys: ["photo"], .syncConnectivity: Words(),
            ]
            let b = try world.device(automatic: false, options)
            try await b.sync.sync()
            #expect(try await a.sync.assets.remote() == [])
            try await body(world, b, ids)
        }
    }

    @Test("all that are elsewhere are listed with their sizes, come, and are listed no more")
    func all() async throws {
        try await run { _, b, ids in
            let remote = try await b.sync.assets.remote()
            #expect(remote.map(\.objectID) == ids.sorted() && remote.allSatisfy { $0.key == "photo" })
            #expect(remote.reduce(0) { $0 + $1.size } == 200_010)
            #expect(try await b.sync.assets.remote(of: "Note") == remote)
            let told = Locked<[Int]>([])
            let done = try await b.sync.assets.download(remote) { progress in
                told.withLock { $0.append(progress.count) }
            }
            #expect(done.count == 5 && done.size == 200_010 && done.totalSize == 200_010 && done.failures.isEmpty)
            #expect(told.withLock { $0 } == [1, 2, 3, 4, 5])
            #expect(try await b.sync.assets.remote() == [])
            let error = await #expect(throws: BackstitchError.self) { try await b.sync.assets.remote(of: "Nothing") }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("one that cannot be had keeps no other from coming, and is told with its cause")
    func failures() async throws {
        try await run { world, b, ids in
            let remote = try await b.sync.assets.remote()
            let strange = RemoteAsset(objectID: ids[0], key: "title", size: 1)
            let done = try await b.sync.assets.download([strange] + remote)
            #expect(done.count == 5 && done.totalCount == 6)
            #expect(done.failures.map(\.asset) == [strange] && done.failures[0].error.code == .invalidRequest)
            for id in ids { try await b.sync.assets.evict("photo", of: id) }
            await world.faults.set { $0.endpoint.contains("asset") ? .dropConnection : nil }
            let offline = try await b.sync.assets.download(remote)
            #expect(offline.count == 0 && offline.failures.count == 5)
            #expect(offline.failures.allSatisfy { $0.error.code == .network })
            await world.faults.clear()
            #expect(try await b.sync.assets.download(remote).count == 5)
        }
    }

    @Test("those for which the program forbids the network are not asked for")
    func connectivity() async throws {
        try await run { world, b, _ in
            let remote = try await b.sync.assets.remote()
            await world.faults.clear()
            let done = try await b.sync.assets.download(remote, reason: "not over mobile data")
            #expect(done.failures.count == 5 && done.failures.allSatisfy { $0.error.code == .network })
            #expect(await world.faults.requests == [])
            #expect(try await b.sync.assets.download(remote, reason: "over Wi-Fi").count == 5)
        }
    }

    @Test("a download is given up when all who wait for it are cancelled together")
    func cancelledTogether() async throws {
        let downloads = DownloadCoalescer()
        let reference = AssetReference(checksum: "bytes", size: 5)
        let begun = Locked(0)
        let waiters = (0..<2).map { _ in
            Task {
                begun.withLock { $0 += 1 }
                return try await downloads.wait(for: reference) { try await Task.sleep(for: .seconds(600)) }
            }
        }
        #expect(try await eventually { begun.withLock { $0 } == 2 })
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { await #expect(throws: CancellationError.self) { _ = try await waiter.value } }
    }

    @Test("a task that is cancelled downloads no further, and keeps what has come")
    func cancelled() async throws {
        try await run { world, b, _ in
            let remote = try await b.sync.assets.remote()
            let served = Locked(0)
            await world.faults.set { request in
                guard request.endpoint.contains("asset") else { return nil }
                return served.withLock { count in
                    count += 1
                    return count > 1 ? .delay(milliseconds: 20_000) : nil
                }
            }
            let work = Task { try await b.sync.assets.download(remote) }
            #expect(try await eventually { try await b.sync.assets.remote().count == 4 })
            work.cancel()
            await #expect(throws: CancellationError.self) { try await work.value }
            await world.faults.clear()
            #expect(try await b.sync.assets.remote().count == 4)
            #expect(served.withLock { $0 } <= 5)
        }
    }
}
