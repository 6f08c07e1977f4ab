import CloudWire
import Testing

@testable import BackstitchSync

@Suite("names of zones, in the program and on the server")
struct ZoneNameTests {
    @Test(
        "zones of others have their owner's name before their own, whatever characters it has",
        arguments: [
            ("_alice", "Backstitch.Club", "_alice/Club"), ("_alice", "Backstitch", "_alice"),
            ("team/alice", "Backstitch.Club", "team%2Falice/Club"), ("a%2F", "Backstitch.C/D", "a%252F/C/D"),
        ])
    func ofOthers(_ owner: String, _ zone: String, _ name: String) {
        let names = ZoneNames(main: "Backstitch", database: .shared)
        let id = ZoneID(zoneName: zone, ownerRecordName: owner)
        #expect(names.inProgram(id) == name && names.isOwn(id))
        #expect(names.onServer(name) == id)
    }

    @Test("zones of other stores, and of nobody, are none of the store's")
    func others() {
        for database in SyncDatabase.allCases {
            let names = ZoneNames(main: "Backstitch", database: database)
            for zone in ["Other", "Backstitch.", "BackstitchClub", ""] {
                #expect(!names.isOwn(ZoneID(zoneName: zone, ownerRecordName: "_alice")))
            }
        }
        #expect(!ZoneNames(main: "Backstitch", database: .shared).isOwn(ZoneID(zoneName: "Backstitch.Club")))
    }

    @Test("equal names of two owners are two zones in the shared database, and one in one's own")
    func places() {
        let zones = ["_alice", "_bob"].map { ZoneID(zoneName: "Backstitch.Club", ownerRecordName: $0) }
        #expect(Set(zones.map(ZoneNames(main: "Backstitch", database: .shared).place)).count == 2)
        #expect(Set(zones.map(ZoneNames(main: "Backstitch").place)).count == 1)
    }
}
