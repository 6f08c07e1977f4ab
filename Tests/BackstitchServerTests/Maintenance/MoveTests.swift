import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("a storage moves to another database")
struct MoveTests {
    private static let ways = StorageKind.allCases.flatMap { from in StorageKind.allCases.map { (from, $0) } }

    @Test("tokens, tags, answers and addresses stay good, in each direction", arguments: ways)
    func moved(_ from: StorageKind, _ to: StorageKind) async throws {
        try await MaintainedWorld.run(from) { world in
            let (token, tag, guestToken) = try await world.serve { client in
                try await MaintainedWorld.fill(client)
                try await MaintainedWorld.share(client)
                let ada = client.user("ada")
                return (
                    try await ada.page().syncToken, try await ada.lookup(["r1"])[0].record().recordChangeTag,
                    try await MaintainedWorld.guestPage(client).syncToken
                )
            }
            try await to.withOther { other in
                let moved = try await world.maintenance.copy(to: other.maintenance)
                #expect(moved["record", default: 0] >= 2 * 33 && moved["asset"] == 4 && moved["answer"] == 2)
                #expect(try await other.maintenance.verify(hashes: true).isGood)
                try await other.serve { client in
                    let ada = client.user("ada")
                    let page = try await ada.page(token)
                    #expect(page.records.isEmpty && page.moreComing == false)
                    // The answer that is kept for a key is given again.
                    let again = try await ada.modify(
                        (0..<30).map { create("r\($0)", ["n": .int64(Int64($0))]) }, key: "first-ada")
                    #expect(try again[1].record().recordChangeTag == tag)
                    try await ada.save(.update, "r1", tag: tag, ["n": .int64(7)])
                    #expect(try await ada.page(token).records.map(\.recordName) == ["r1"])
                    #expect(
                        try await MaintainedWorld.guestPage(client, guestToken).records.map(\.recordName) == ["r1"])
                    #expect(try await MaintainedWorld.photo(ada) == MaintainedWorld.photo + Array("ada".utf8))
                    var stranger = client.user("eve")
                    stranger.container = "iCloud.other"
                    try await stranger.makeZone()
                    try await stranger.save("own")
                }
                #expect(try await other.maintenance.verify().isGood)
                let error = await #expect(throws: ZoneServerError.self) {
                    try await world.maintenance.copy(to: other.maintenance)
                }
                #expect(error?.message.contains("has a storage already") == true)
            }
        }
    }

    @Test("a storage that is served is not moved")
    func served() async throws {
        try await MaintainedWorld.run(.directory) { world in
            try await world.serve { client in
                try await client.makeZone()
                try await StorageKind.directory.withOther { other in
                    let error = await #expect(throws: ZoneServerError.self) {
                        try await world.maintenance.copy(to: other.maintenance)
                    }
                    #expect(error?.message.contains("another server uses") == true)
                }
            }
        }
    }

    @Test("a database that is written to meanwhile is not moved, and the new place stays empty")
    func written() async throws {
        try await MaintainedWorld.run(.postgreSQL) { world in
            try await world.serve { client in
                try await client.makeZone()
                try await client.modify((0..<400).map { create("r\($0)") })
                try await StorageKind.postgreSQL.withOther { other in
                    try MaintainedStorage.openEmpty(other.maintenance.configuration).close()
                    let copy = try await other.whileLocked("record") { isWaitedFor in
                        let copy = Task { try await world.maintenance.copy(to: other.maintenance) }
                        #expect(try await eventually(isWaitedFor))
                        try await client.save("meanwhile")
                        return copy
                    }
                    let error = await #expect(throws: ZoneServerError.self) { try await copy.value }
                    #expect(error?.message.contains("has written to") == true)
                    _ = try await other.serve { fresh in
                        await expectFailure(.zoneNotFound) { try await fresh.page() }
                    }
                }
            }
        }
    }
}
