import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("a device that dies in the middle of a sync", .scenario)
struct CrashTests: ScenarioSuite {
    @Test(
        "whichever request was the last, before or after the server took it: nothing is lost or doubled (T6)",
        arguments: [false, true], [false, true])
    func everyRequest(arrives: Bool, editsAfter: Bool) async throws {
        var number = 0
        while true {
            let zone: [StoreOption: any Sendable] = [.syncZoneName: "zone\(number)"]
            let other = try s.device(nil, zone)
            let name = "device \(number)"
            var device = try s.device(name, zone)
            let ids = try await prepare(device, other)
            // Everything is cut from that request on. A next process has only the present content of the disk.
            let counter = Locked(0)
            try await s.faults.set { [number] _ in
                let now = counter.withLock { count in
                    defer { count += 1 }
                    return count
                }
                if now < number { return nil }
                return now == number && arrives ? .dropResponse : .dropConnection
            }
            do { try await device.sync.sync() } catch let error as BackstitchError {
                #expect(error.code == .network)
            }
            let wasHit = counter.withLock { $0 } > number
            try device.close()
            try await s.faults.clear()

            device = try s.device(name, zone)
            if editsAfter {
                try await device.change(ids.edited) { note, _ in note.title = "edited again" }
                try await device.delete(ids.new)
            }
            try await s.settle(device, other, comment: "after a crash at request \(number)")
            let titles = try await device.titles()
            #expect(
                titles == (editsAfter ? ["edited again"] : ["edited", "new"]), "after a crash at request \(number)")
            #expect(try await device.dump().contains { $0.contains("body=the string \"theirs\"") })
            #expect(try await device.sync.status.pendingCount == 0)
            #expect(try await s.zone("zone\(number)").all().count == titles.count)
            try device.close()
            try other.close()
            number += 1
            if !wasHit { break }
        }
        #expect(number > 2)
    }

    /// An object edited by both, one deleted only by the other, and a new one here.
    private func prepare(_ device: SyncDevice, _ other: SyncDevice) async throws -> (edited: ObjectID, new: ObjectID) {
        let edited = try await device.addNote("base") { note, _ in note.body = "base" }
        let gone = try await device.addNote("gone")
        let both = try await device.addNote("deleted on both")
        try await s.settle(device, other)
        try await other.change(edited) { note, _ in note.body = "theirs" }
        try await other.delete(gone, both)
        try await other.sync.sync()
        try await device.change(edited) { note, _ in note.title = "edited" }
        try await device.delete(both)
        let new = try await device.addNote("new") { note, _ in note.photo = Data("photo".utf8) }
        return (edited, new)
    }
}
