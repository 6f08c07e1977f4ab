import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("backups of a storage")
struct BackupTests {
    /// From each kind of storage to each.
    private static let ways = StorageKind.allCases.flatMap { from in StorageKind.allCases.map { (from, $0) } }

    @Test("a storage that is served is backed up, and restored on either database", arguments: ways)
    func restored(_ from: StorageKind, _ to: StorageKind) async throws {
        try await withFolder { backup in
            try await MaintainedWorld.run(from) { world in
                let (token, tag) = try await world.serve { client in
                    try await MaintainedWorld.fill(client)
                    let manifest = try await world.maintenance.backUp(to: backup)
                    #expect(manifest.assets == 2 && manifest.databaseBytes > 10_000)
                    let ada = client.user("ada")
                    // The backup does not have it.
                    try await ada.save("later")
                    let record = try await ada.lookup(["r1"])[0].record()
                    return (try await ada.page().syncToken, record.recordChangeTag)
                }
                try await to.withOther { other in
                    try await other.maintenance.restore(from: backup)
                    let report = try await other.maintenance.verify(hashes: true)
                    #expect(report.isGood && report.contents == 2, "\(report.faults)")
                    try await other.serve { client in
                        let ada = client.user("ada")
                        // Its history is another one, so the token of the lost state says so.
                        let error = await expectFailure(.badRequest) { try await ada.page(token) }
                        #expect(error?.reason == WireError.expiredTokenReason)
                        let names = Set(try await ada.follow().records.filter { !$0.deleted }.map(\.recordName))
                        #expect(names.count == 29 && names.contains("child") && !names.contains("later"))
                        #expect(try await ada.lookup(["r1"])[0].record().recordChangeTag == tag)
                        #expect(try await MaintainedWorld.photo(ada) == MaintainedWorld.photo + Array("ada".utf8))
                        // New tags are of the new history, and new tenants and zones get numbers of their own.
                        let next = try #require(try await ada.save("next").recordChangeTag.flatMap { ChangeTag($0) })
                        #expect(try #require(tag.flatMap { ChangeTag($0) }) < next)
                        var stranger = client.user("eve")
                        stranger.container = "iCloud.other"
                        try await stranger.makeZone()
                        try await stranger.save("own")
                    }
                    #expect(try await other.maintenance.verify().isGood)
                    // It is not restored over.
                    let error = await #expect(throws: ZoneServerError.self) {
                        try await other.maintenance.restore(from: backup)
                    }
                    #expect(error?.code == .storageUnavailable)
                }
            }
        }
    }

    @Test("a backup that is damaged, not whole or no backup is refused, and nothing is made")
    func refused() async throws {
        try await withFolder { parent in
            let backup = parent.appending(path: "backup")
            try await MaintainedWorld.run(.directory) { world in
                try await world.serve { try await MaintainedWorld.fill($0) }
                _ = try await world.maintenance.backUp(to: backup)
                let again = await #expect(throws: ZoneServerError.self) {
                    try await world.maintenance.backUp(to: backup)
                }
                #expect(again?.message.contains("empty folder") == true)
            }
            let manager = FileManager.default
            func refuse(_ name: String, _ text: String, _ damage: (URL) throws -> Void) async throws {
                let copy = parent.appending(path: name)
                try manager.copyItem(at: backup, to: copy)
                try damage(copy)
                for kind in StorageKind.allCases {
                    try await kind.withOther { other in
                        let error = await #expect(throws: ZoneServerError.self) {
                            try await other.maintenance.restore(from: copy)
                        }
                        #expect(error?.message.contains(text) == true, "\(name): \(String(describing: error))")
                        #expect((try? await other.maintenance.status())?.containers.isEmpty ?? true)
                    }
                }
            }
            try await refuse("unfinished", "not a complete backup") {
                try manager.removeItem(at: $0.appending(path: "manifest.json"))
            }
            try await refuse("changed", "manifest describes") { folder in
                let file = folder.appending(path: "zones.sqlite")
                var bytes = try Data(contentsOf: file)
                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: file)
            }
            try await refuse("spoilt", "damaged") { folder in
                var file: URL?
                try AssetFolder(existing: folder.appending(path: "assets")).forEachName { name in
                    file = AssetFolder(existing: folder.appending(path: "assets")).file(name)
                }
                try Data("something else".utf8).write(to: try #require(file))
            }
            try await refuse("newer", "form 9") { folder in
                let file = folder.appending(path: "manifest.json")
                let text = try String(contentsOf: file, encoding: .utf8)
                try text.replacing("\"format\" : 1", with: "\"format\" : 9").write(
                    to: file, atomically: true, encoding: .utf8)
            }
        }
    }

    @Test("a backup that is made while others push has whole commits alone", arguments: StorageKind.allCases)
    func whileWritten(_ kind: StorageKind) async throws {
        try await withFolder { backup in
            try await MaintainedWorld.run(kind) { world in
                try await world.serve { client in
                    try await client.makeZone()
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for writer in 0..<3 {
                            group.addTask {
                                for number in 0..<15 {
                                    try await client.modify((0..<4).map { create("w\(writer)n\(number)r\($0)") })
                                }
                            }
                        }
                        try await group.next()
                        _ = try await world.maintenance.backUp(to: backup)
                        try await group.waitForAll()
                    }
                }
                try await StorageKind.directory.withOther { other in
                    try await other.maintenance.restore(from: backup)
                    #expect(try await other.maintenance.verify().isGood)
                    let commits = try await other.serve { client in
                        Dictionary(grouping: try await client.follow().records) { $0.recordChangeTag }
                    }
                    #expect(commits.count >= 15 && commits.values.allSatisfy { $0.count == 4 })
                }
            }
        }
    }
}
