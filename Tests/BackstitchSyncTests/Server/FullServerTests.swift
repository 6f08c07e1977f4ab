import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite(
    "a server whose disk is full",
    .enabled(if: SmallDisk.isAllowed, "no file system can be mounted here (unshare -m, unshare -rm)"),
    .timeLimit(.minutes(5)))
struct FullServerTests {
    @Test("deletions are sent, all else waits unharmed, and is sent when there is room")
    func waits() async throws {
        try await SmallDisk.run { disk in
            let (process, url) = try await disk.serve()
            defer { process.kill() }
            try await SyncWorld.run { world in
                let a = try world.device(nil, [.syncServerURL: url]), b = try world.device(nil, [.syncServerURL: url])
                let ids = try await a.addNotes(10)
                try await a.sync.sync()
                try await b.sync.sync()
                #expect(try await b.titles().count == 10)
                try disk.fill("ballast")
                // In one batch with the deletions.
                try await a.edit { context in
                    for id in ids[..<4] { context.delete(try context.existingObject(with: id)) }
                    for id in ids[4...] { (try context.existingObject(with: id) as? TestNote)?.body = "edited" }
                    for number in 0..<5 { TestNote(context: context).title = "new \(number)" }
                }
                let summary = try await a.sync.sync()
                #expect(summary.sent == 4 && summary.deferred == 11)
                let status = try await a.sync.status
                #expect(status.pendingCount == 11)
                #expect(status.blockedCount == 0)
                try await b.sync.sync()
                #expect(try await b.titles() == (4..<10).map { "note \($0)" })
                try disk.remove("ballast")
                #expect(
                    try await eventually {
                        try? await a.sync.sync()
                        return try await a.sync.status.pendingCount == 0
                    })
                try await b.sync.sync()
                #expect(try await a.dump() == b.dump())
                #expect(try await b.titles().count == 11)
            }
        }
    }
}
