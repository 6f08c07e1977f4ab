import Backstitch
import BackstitchServer
import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("progress of all transfers of assets", .timeLimit(.minutes(3)))
struct AssetProgressTests {
    @Test("bytes and counts of both directions rise to their totals, in the status, in events and in a sequence")
    func totals() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(nil, [.syncRequestTimeout: 30])
            try await a.sync.sync()
            // Three batches of uploads, whose total is known from the first of them.
            try await a.edit { context in
                for number in 0..<6 {
                    let note = TestNote(context: context)
                    note.photo = Data(repeating: UInt8(number), count: 1_000_000 + number)
                    note.body = String(repeating: "x", count: 600_000)
                }
            }
            let seen = Locked<[AssetTransferProgress]>([])
            await world.faults.set { request in
                if request.endpoint == "assets bytes" { seen.withLock { $0.append(a.sync.assets.progress) } }
                return nil
            }
            try await a.sync.sync()
            let sent = seen.withLock { $0 }.map(\.uploads)
            #expect(sent.count == 6, "\(sent)")
            #expect(sent.allSatisfy { $0.totalCount == 6 && $0.totalSize == 6_000_015 })
            #expect(sent.map(\.count) == sent.map(\.count).sorted())
            #expect(
                a.sync.assets.progress.uploads == .init(count: 6, totalCount: 6, size: 6_000_015, totalSize: 6_000_015)
            )

            let b = try world.device()
            let told = Locked<[AssetTransferProgress]>([])
            let watcher = Task { [updates = b.sync.assets.progressUpdates] in
                for try await progress in updates { told.withLock { $0.append(progress) } }
            }
            try await b.sync.sync()
            let whole = AssetTransferProgress.Part(count: 6, totalCount: 6, size: 6_000_015, totalSize: 6_000_015)
            #expect(b.sync.assets.progress.downloads == whole && whole.isDone && whole.fraction == 1)
            #expect(try await b.sync.status.transfers.downloads == whole)
            #expect(try await eventually { told.withLock { $0.last?.downloads } == whole })
            let downloads = told.withLock { $0 }.map(\.downloads)
            #expect(downloads.map(\.size) == downloads.map(\.size).sorted())
            try b.close()
            try await watcher.value
        }
    }

    @Test("what is cancelled, fails or is paused counts no longer, and the next transfers begin from nothing")
    func runs() async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let ids = try await a.edit { context in
                (0..<3).map { number in
                    let note = TestNote(context: context)
                    note.photo = Data(repeating: UInt8(number), count: 100_000)
                    return note.objectID
                }
            }
            try await a.sync.sync()
            let b = try world.device(nil, [.excludedUnchangingAsyncAssetKeys: ["photo"]])
            try await b.sync.sync()
            let made = Locked(0)
            await world.faults.set { request in
                guard request.endpoint.contains("asset") else { return nil }
                return made.withLock { made in
                    made += 1
                    return made == 2 ? .dropConnection : nil
                }
            }
            let done = try await b.sync.assets.download(try await b.sync.assets.remote())
            #expect(done.count == 2)
            #expect(
                b.sync.assets.progress.downloads
                    == .init(count: 2, totalCount: 2, size: 200_000, totalSize: 200_000))
            await world.faults.clear()
            for id in ids { try await b.sync.assets.download("photo", of: id) }
            #expect(
                b.sync.assets.progress.downloads
                    == .init(count: 1, totalCount: 1, size: 100_000, totalSize: 100_000))
        }
    }
}
