import Backstitch
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import Testing

@testable import BackstitchSync

@Suite("moves on a server that takes operations on one zone at a time")
struct PlainMoveTests {
    /// - Parameter isInClub: Whether the folder is in the zone "Club", and not in the main one.
    private func pair(in world: PlainWorld, isInClub: Bool = false) async throws -> (SyncDevice, SyncDevice, ObjectID) {
        let (a, b) = (try world.device(model: .withParents), try world.device(model: .withParents))
        try await a.sync.zones.create(named: "Club")
        let folder = try await a.addFolder("F", inZone: isInClub ? "Club" : nil, notes: ["x", "y"])
        for device in [a, b, a] { try await device.sync.sync() }
        return (a, b, folder)
    }

    @Test("a folder moves with its notes, as the same objects, and with an edit of another device")
    func whole() async throws {
        try await PlainWorld.run { world in
            let (a, b, folder) = try await pair(in: world)
            try await b.set(try await b.note("x"), ["body": "of b"])
            try await a.sync.zones.move([folder], to: "Club")
            try await a.sync.sync()
            #expect(try a.movesUnderWay() == 0)
            var summaries = [try await b.sync.sync()]
            summaries.append(try await b.sync.sync())
            for summary in summaries {
                #expect(summary.inserted.isEmpty && summary.deleted.isEmpty && summary.conflicts.isEmpty)
                #expect(summary.parked.isEmpty)
            }
            try await a.sync.sync()
            for device in [a, b] {
                #expect(try await device.places() == ["x in 'Club'", "y in 'Club'"])
                #expect(try await device.values("body") == ["nil", "of b"])
                #expect(try device.movesUnderWay() == 0)
            }
        }
    }

    @Test(
        "a lost push leaves nothing half moved, and loses no edit, whether the server has taken it or not",
        arguments: 0..<4, [false, true])
    func cuts(_ cut: Int, isInClub: Bool) async throws {
        for isEdited in [false, true] {
            try await PlainWorld.run { world in
                let (a, b, folder) = try await pair(in: world, isInClub: isInClub)
                if isEdited { try await b.set(try await b.note("x"), ["body": "of b"]) }
                let target = isInClub ? "" : "Club"
                try await a.sync.zones.move([folder], to: target)
                world.breakDown(atPush: cut / 2, isTaken: cut % 2 == 0)
                await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
                world.mend()
                for device in isEdited ? [b, a, b] : [a, b] { try await device.sync.sync() }
                try await a.set(try await a.note("y"), ["body": "of a"])
                for device in [a, b, a, b, a] { try await device.sync.sync() }
                for device in [a, b] {
                    let comment = Comment(rawValue: "cut at \(cut), edited: \(isEdited)")
                    #expect(try await device.places() == ["x in '\(target)'", "y in '\(target)'"], comment)
                    #expect(try await device.values("body") == [isEdited ? "of b" : "nil", "of a"].sorted(), comment)
                    #expect(try device.movesUnderWay() == 0, comment)
                    #expect(try await device.sync.status.pendingCount == 0, comment)
                }
            }
        }
    }

    @Test(
        "the last call decides after a push of the move was lost, whether the server has taken it or not",
        arguments: 0..<4, ["Team", "", "Club"])
    func movedAgain(_ cut: Int, zone: String) async throws {
        try await PlainWorld.run { world in
            let (a, b, folder) = try await pair(in: world)
            try await a.sync.zones.create(named: "Team")
            try await a.sync.sync()
            try await a.sync.zones.move([folder], to: "Club")
            world.breakDown(atPush: cut / 2, isTaken: cut % 2 == 0)
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            world.mend()
            try await a.sync.zones.move([folder], to: zone)
            for device in [a, b, a, b, a, b] { try await device.sync.sync() }
            for device in [a, b] {
                #expect(try await device.places() == ["x in '\(zone)'", "y in '\(zone)'"])
                #expect(try await device.sync.zones.zone(of: folder).name == zone)
                #expect(try device.movesUnderWay() == 0)
                #expect(try await device.sync.blocked.parkedRecords().isEmpty)
            }
            let main = world.server.records(ofZone: "Backstitch").count
            #expect(main == (zone.isEmpty ? 3 : 0))
        }
    }

    @Test(
        "a copy is deleted if the zone that its object has not left is dropped, and is the object if it may have left",
        arguments: [false, true])
    func formerZoneDropped(mayHaveLeft: Bool) async throws {
        try await PlainWorld.run { world in
            let (a, b, folder) = try await pair(in: world, isInClub: true)
            try await a.sync.zones.move([folder], to: "")
            let made = Locked(0)
            // The first request makes the copies. The second one deletes the records in the former zone.
            world.interfere { request, _ in
                guard request.path.contains("/records/modify") else { return nil }
                let number = made.withLock { count in
                    defer { count += 1 }
                    return count
                }
                guard number == (mayHaveLeft ? 1 : 0) else { return nil }
                world.server.deleteZone("Backstitch.Club")
                return mayHaveLeft ? .hangUp : nil
            }
            _ = try? await a.sync.sync()
            world.interfere(nil)
            #expect(made.withLock { $0 } > (mayHaveLeft ? 1 : 0))
            for device in [a, b, a, b, a] { try await device.sync.sync() }
            for device in [a, b] {
                #expect(try await device.places() == (mayHaveLeft ? ["x in ''", "y in ''"] : []))
                #expect(try device.movesUnderWay() == 0)
                #expect(try await device.sync.blocked.parkedRecords().isEmpty)
            }
            #expect(world.server.records(ofZone: "Backstitch").count == (mayHaveLeft ? 3 : 0))
        }
    }

    @Test("a deletion reaches other devices with one sync, in the main zone and in others")
    func deletions() async throws {
        try await PlainWorld.run { world in
            let (a, b, folder) = try await pair(in: world)
            _ = try await a.addFolder("G", inZone: "Club", notes: ["z"])
            for device in [a, b] { try await device.sync.sync() }
            try await a.delete(folder, try await a.note("z"))
            try await a.sync.sync()
            #expect(try await b.sync.sync().deleted.count == 4)
            #expect(try await b.places() == [])
            #expect(try b.movesUnderWay() == 0)
        }
    }
}
