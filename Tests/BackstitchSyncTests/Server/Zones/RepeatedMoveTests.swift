import Backstitch
import BackstitchServer
import BackstitchSync
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("moves of objects that are already to move", .scenario)
struct RepeatedMoveTests: ScenarioSuite {
    /// Two devices, with zones for a note to go to.
    private func pair() async throws -> (SyncDevice, SyncDevice, ObjectID) {
        let (a, b) = try s.pair(model: .withParents)
        let folder = try await a.addFolder("F", notes: ["x"])
        for zone in ["Club", "Team"] { try await a.sync.zones.create(named: zone) }
        try await s.settle()
        return (a, b, folder)
    }

    /// Has a device note the move of the folder and its note, and send nothing of it.
    private func noteOnly(_ folder: ObjectID, by device: SyncDevice) async throws {
        try await device.sync.zones.move([folder], to: "Club")
        try await s.faults.set { $0.endpoint == "changes/database" ? .unavailable(retryAfter: 20) : nil }
        _ = try? await device.sync.sync()
        try await s.faults.clear()
        #expect(try await device.sync.zones.zone(of: folder).name == "")
    }

    private func addNote(_ title: String, to folder: ObjectID, by device: SyncDevice) async throws {
        try await device.edit { context in
            let note = TestNote(context: context)
            note.title = title
            note.folder = try context.existingObject(with: folder) as? TestFolder
        }
    }

    private func expect(_ titles: [String], in zone: String, on devices: [SyncDevice]) async throws {
        try await s.settleMoves()
        for device in devices {
            #expect(try await device.places() == titles.map { "\($0) in '\(zone)'" })
        }
    }

    @Test(
        "a folder that is to move, and is moved again, goes there, with the notes that were added meanwhile",
        arguments: ["Team", "", "Club"])
    func movedAgain(zone: String) async throws {
        let (a, b, folder) = try await pair()
        try await noteOnly(folder, by: a)
        try await addNote("y", to: folder, by: a)
        let moved = try await a.sync.zones.move([folder], to: zone)
        // The new note is in the main zone, and stays where the folder comes back.
        #expect(moved.count == (zone.isEmpty ? 2 : 3))
        #expect(try await a.sync.zones.zone(of: folder).name == "")
        try await expect(["x", "y"], in: zone, on: [a, b])
    }

    @Test("a folder that is moved again while its move is sent goes on there", arguments: ["Team", "", "Club"])
    func movedWhileSent(zone: String) async throws {
        let (a, b, folder) = try await pair()
        try await a.sync.zones.move([folder], to: "Club")
        try await s.faults.interrupt(0, of: "records/modify") { try await a.sync.zones.move([folder], to: zone) }
        try await a.sync.sync()
        try await s.faults.clear()
        try await expect(["x"], in: zone, on: [a, b])
    }

    @Test("a folder whose move had no answer goes where it is moved then", arguments: ["Team", "", "Club"])
    func unanswered(zone: String) async throws {
        let (a, b, folder) = try await pair()
        try await a.sync.zones.move([folder], to: "Club")
        try await s.faults.breakDown(at: "records/modify")
        _ = try? await a.sync.sync()
        try await s.faults.clear()
        try await b.sync.sync()
        try await a.sync.zones.move([folder], to: zone)
        try await expect(["x"], in: zone, on: [a, b])
    }

    @Test("a folder that is moved back before the server was told stays where it is")
    func takenBack() async throws {
        let (a, b, folder) = try await pair()
        try await a.sync.zones.move([folder], to: "Club")
        try await a.sync.zones.move([folder], to: "")
        try await expect(["x"], in: "", on: [a, b])
    }

    @Test("a folder whose move back had no answer goes where it is moved then", arguments: ["Team", "", "Club"])
    func movedBackUnanswered(zone: String) async throws {
        let (a, b, folder) = try await pair()
        try await a.sync.zones.move([folder], to: "Club")
        try await s.settle()
        try await s.begin(moveOf: folder, by: a, toZoneNamed: "", losesAnswer: true)
        try await a.sync.zones.move([folder], to: zone)
        try await expect(["x"], in: zone, on: [a, b])
    }

    @Test("the last of many moves decides, also back to where a folder is, or is by then", arguments: ["", "Club"])
    func lastDecides(zone: String) async throws {
        let (a, b, folder) = try await pair()
        try await noteOnly(folder, by: a)
        for next in ["Team", "", "Team", "Club", "Team", zone] { try await a.sync.zones.move([folder], to: next) }
        try await expect(["x"], in: zone, on: [a, b])
    }

    @Test("a move that another device has made meanwhile is kept", arguments: ["Team", ""])
    func elsewhere(zone: String) async throws {
        let (a, b, folder) = try await pair()
        try await a.sync.zones.create(named: "Elsewhere")
        try await s.settle()
        try await a.sync.zones.move([folder], to: "Club")
        try await a.sync.zones.move([folder], to: zone)
        try await b.sync.zones.move([folder], to: "Elsewhere")
        try await b.sync.sync()
        try await expect(["x"], in: "Elsewhere", on: [a, b])
    }

    @Test("a zone is not deleted while a folder is to leave it")
    func zoneInUse() async throws {
        let (a, b, folder) = try await pair()
        try await a.sync.zones.move([folder], to: "Club")
        try await s.settle()
        try await s.begin(moveOf: folder, by: a, toZoneNamed: "")
        try await b.sync.sync()
        #expect(try await b.sync.zones.move([folder], to: "Team").count == 2)
        let error = await #expect(throws: BackstitchError.self) { try await b.sync.zones.delete(named: "Club") }
        #expect(error?.code == .invalidRequest && error?.message.contains("2 objects of the zone \"Club\"") == true)
        // The other device's move reaches the server first.
        try await expect(["x"], in: "", on: [a, b])
    }

    @Test("a link to an object that is about to leave the zone is refused, and nothing moves")
    func links() async throws {
        let (a, b, folder) = try await pair()
        let note = try await a.note("x")
        try await a.sync.zones.move([folder], to: "Club")
        let error = await #expect(throws: BackstitchError.self) { try await a.sync.zones.move([note], to: "") }
        #expect(error?.code == .crossZoneRelationship)
        try await expect(["x"], in: "Club", on: [a, b])
    }

    @Test("a folder keeps its zone if the last zone that it was to go to is deleted")
    func zoneGone() async throws {
        let (a, b, folder) = try await pair()
        try await noteOnly(folder, by: a)
        try await a.sync.zones.move([folder], to: "Team")
        try await b.sync.zones.delete(named: "Team")
        try await expect(["x"], in: "", on: [a, b])
    }

    @Test("one sync forgets a deleted zone, and the move of a folder to it")
    func destinationGone() async throws {
        let (a, b, folder) = try await pair()
        try await s.begin(moveOf: folder, by: a, toZoneNamed: "Team")
        try await b.sync.zones.delete(named: "Team")
        try await a.sync.sync()
        #expect(try await a.sync.status.pendingCount == 0)
        #expect(try a.movesUnderWay() == 0)
        try await expect(["x"], in: "", on: [a, b])
    }
}
