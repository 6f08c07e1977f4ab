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
        "a lost answer to any request leaves nothing half moved, and loses no edit", arguments: 0..<8, [false, true])
    func cuts(_ cut: Int, isInClub: Bool) async throws {
        try await PlainWorld.run { world in
            let (a, b, folder) = try await pair(in: world, isInClub: isInClub)
            let x = try await b.note("x"), y = try await a.note("y")
            try await b.set(x, ["body": "of b"])
            let target = isInClub ? "" : "Club"
            try await a.sync.zones.move([folder], to: target)
            let made = Locked(0)
            world.interfere { request, _ in
                guard request.path.contains("/records/modify") else { return nil }
                let number = made.withLock { count in
                    defer { count += 1 }
                    return count
                }
                return number == cut ? .hangUp : nil
            }
            for device in [a, b, a, b] { _ = try? await device.sync.sync() }
            world.interfere(nil)
            try await a.set(y, ["body": "of a"])
            for device in [a, b, a, b, a] { try await device.sync.sync() }
            for device in [a, b] {
                #expect(try await device.places() == ["x in '\(target)'", "y in '\(target)'"], "cut at \(cut)")
                #expect(try await device.values("body") == ["of a", "of b"], "cut at \(cut)")
                #expect(try device.movesUnderWay() == 0, "cut at \(cut)")
                #expect(try await device.sync.status.pendingCount == 0, "cut at \(cut)")
            }
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
