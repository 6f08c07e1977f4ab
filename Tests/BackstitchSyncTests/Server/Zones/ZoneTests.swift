import Backstitch
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

extension ManagedObjectModel {
    /// Notes have their folder as parent, and folders the one above.
    static var withParents: ManagedObjectModel {
        var model = SyncTestModel.description
        model.entities = model.entities.map { entity in
            switch entity.name {
            case "Note": entity.parent("folder")
            case "Folder": entity.parent("parent")
            default: entity
            }
        }
        return model
    }
}

extension SyncDevice {
    /// Makes a folder in a zone, with notes in it, and saves.
    func addFolder(_ name: String, inZone zone: String? = nil, notes: [String] = []) async throws -> ObjectID {
        try await edit { context in
            let folder = try context.make("Folder", ["name": .string(name)])
            if let zone { try context.assign(folder, toZone: zone) }
            for title in notes {
                let note = TestNote(context: context)
                note.title = title
                note.folder = folder as? TestFolder
            }
            return folder.objectID
        }
    }

    /// The note of a title.
    func note(_ title: String) async throws -> ObjectID {
        try await read { context in
            try #require(try context.fetch(FetchRequest<TestNote>(where: "title == '\(title)'")).first).objectID
        }
    }

    /// The notes' titles, each with the name of its zone.
    func places() async throws -> [String] {
        let notes = try await read { context in
            try context.fetch(FetchRequest<TestNote>()).map { ($0.objectID, $0.title ?? "") }
        }
        var places: [String] = []
        for (id, title) in notes { places.append("\(title) in '\(try await sync.zones.zone(of: id).name)'") }
        return places.sorted()
    }
}

@Suite("zones beside the main one", .scenario)
struct ZoneTests: ScenarioSuite {
    private func pair(_ more: [StoreOption: any Sendable] = [:]) throws -> (SyncDevice, SyncDevice) {
        try s.pair(model: .withParents, more)
    }

    @Test("objects of a zone are in it on the server and on every device, and what hangs on them goes along")
    func travels() async throws {
        let (a, b) = try pair()
        let zone = try await a.sync.zones.create(named: "Club")
        #expect(zone == SyncZone(name: "Club", zoneName: "Backstitch.Club"))
        _ = try await a.addFolder("F", inZone: "Club", notes: ["n1", "n2"])
        _ = try await a.addFolder("G", notes: ["m"])
        try await s.settle()
        #expect(try await b.places() == ["m in ''", "n1 in 'Club'", "n2 in 'Club'"])
        #expect(try await b.sync.zones.all().map(\.name) == ["", "Club"])
        #expect(try await b.sync.zones.all().map(\.zoneName) == ["Backstitch", "Backstitch.Club"])
        let n1 = try await a.note("n1")
        let record = try await s.zone("Backstitch.Club").record(n1)
        #expect(
            record?.parent?.recordName
                == record?.value("folder").flatMap { if case .reference(let to) = $0 { to.recordName } else { nil } })
        #expect(record?.parent != nil)
        #expect(try await s.zone().record(n1) == nil)
        // A note that the other device adds to the folder is automatically in its zone.
        let folder = try await b.read {
            try #require(try $0.fetch(FetchRequest<TestFolder>(where: "name == 'F'")).first).objectID
        }
        _ = try await b.addNote("n3") { note, context in
            note.folder = try context.existingObject(with: folder) as? TestFolder
        }
        try await s.settle()
        #expect(try await a.places().contains("n3 in 'Club'"))
        try await s.expectNothingUnsent()
        // A device that comes new finds everything.
        let c = try s.device(model: .withParents)
        try await s.settle()
        #expect(try await c.places() == a.places())
    }

    @Test("edits and deletions in a zone travel, and edits of both sides merge")
    func edits() async throws {
        let (a, b) = try pair()
        try await a.sync.zones.create(named: "Club")
        let folder = try await a.addFolder("F", inZone: "Club", notes: ["n", "gone"])
        try await s.settle()
        let note = try await a.note("n")
        try await a.change(note) { note, _ in note.title = "from a" }
        try await b.change(note) { note, _ in note.body = "from b" }
        let gone = try await b.note("gone")
        try await b.delete(gone)
        try await s.settle()
        #expect(try await a.values("title") == ["from a"])
        #expect(try await b.values("body") == ["from b"])
        try await a.delete(folder)
        try await s.settle()
        #expect(try await b.titles() == [])
        try await s.expectNothingUnsent()
    }

    @Test("a link from one zone to another is refused at the save, naming both ends, and nothing is stored")
    func crossing() async throws {
        let a = try s.device(model: .withParents)
        try await a.sync.zones.create(named: "Club")
        let folder = try await a.addFolder("F", inZone: "Club")
        let note = try await a.addNote("outside")
        let error = await #expect(throws: BackstitchError.self) {
            try await a.change(note) { note, context in
                note.folder = try context.existingObject(with: folder) as? TestFolder
            }
        }
        #expect(error?.code == .crossZoneRelationship)
        let message = error?.message ?? ""
        for part in ["\(note)", "\(folder)", "\"Club\"", "main zone", "folder"] {
            #expect(message.contains(part), "\(message)")
        }
        let tagged = await #expect(throws: BackstitchError.self) {
            try await a.edit { context in
                let inside = TestNote(context: context)
                inside.folder = try context.existingObject(with: folder) as? TestFolder
                inside.tags = [TestTag(context: context)]
            }
        }
        #expect(tagged?.code == .crossZoneRelationship)
        #expect(try await a.places() == ["outside in ''"])
        let stored = await #expect(throws: BackstitchError.self) {
            try await a.edit { context in
                try context.assign(try context.existingObject(with: note), toZone: "Club")
            }
        }
        #expect(stored?.code == .invalidRequest)
        let unknown = await #expect(throws: BackstitchError.self) { _ = try await a.addFolder("H", inZone: "Team") }
        #expect(unknown?.code == .invalidRequest && unknown?.message.contains("\"Club\"") == true)
    }

    @Test("devices that make a zone of one name offline have the same zone; other names are refused")
    func sameName() async throws {
        let (a, b) = try pair()
        try await a.sync.zones.create(named: "Club")
        try await b.sync.zones.create(named: "Club")
        try await b.sync.zones.create(named: "Club")
        _ = try await a.addFolder("A", inZone: "Club", notes: ["a"])
        _ = try await b.addFolder("B", inZone: "Club", notes: ["b"])
        try await s.settle()
        #expect(try await a.places() == ["a in 'Club'", "b in 'Club'"])
        for name in ["", "a.b", "a b", "é", String(repeating: "x", count: 101)] {
            await #expect(throws: BackstitchError.self) { try await a.sync.zones.create(named: name) }
        }
        #expect(try await a.sync.zones.all().count == 2)
    }

    @Test("a zone that is deleted goes with its objects, here and on every device; unsent edits there are told")
    func deleted() async throws {
        let (a, b) = try pair()
        try await a.sync.zones.create(named: "Club")
        _ = try await a.addFolder("F", inZone: "Club", notes: ["n1", "n2"])
        _ = try await a.addNote("main")
        try await s.settle()
        let edited = try await b.note("n1")
        try await b.change(edited) { note, _ in note.body = "unsent" }
        try await a.sync.zones.delete(named: "Club")
        #expect(try await a.titles() == ["main"])
        #expect(try await a.sync.zones.all().map(\.name) == [""])
        let summary = try await b.sync.sync()
        #expect(try await b.titles() == ["main"])
        #expect(summary.deleted.count == 3)
        #expect(summary.conflicts.map(\.objectID) == [edited])
        #expect(summary.conflicts.map(\.winner) == [.server])
        #expect(try await b.sync.zones.all().map(\.name) == [""])
        try await s.settle()
        try await s.expectNothingUnsent()
        let missing = await #expect(throws: BackstitchError.self) { try await b.sync.zones.delete(named: "Club") }
        #expect(missing?.code == .invalidRequest)
        // One of the same name that is made later is another one.
        try await b.sync.zones.create(named: "Club")
        _ = try await b.addFolder("G", inZone: "Club", notes: ["new"])
        try await s.settle()
        #expect(try await a.places() == ["main in ''", "new in 'Club'"])
    }

    @Test("a zone that is deleted and made anew while a device is away is the new one there, without the old objects")
    func madeAnew() async throws {
        let (a, b) = try pair()
        try await a.sync.zones.create(named: "Club")
        _ = try await a.addFolder("F", inZone: "Club", notes: ["old"])
        try await s.settle()
        try await a.sync.zones.delete(named: "Club")
        try await a.sync.zones.create(named: "Club")
        _ = try await a.addFolder("G", inZone: "Club", notes: ["new"])
        try await s.sync(a, b)
        #expect(try await b.places() == ["new in 'Club'"])
        try await s.settle()
        #expect(try await a.places() == ["new in 'Club'"])
    }

    @Test("a zone that the program deletes while it is synced is no failure of the cycle")
    func deletedMeanwhile() async throws {
        let a = try s.device(model: .withParents)
        try await a.sync.zones.create(named: "Club")
        try await a.sync.sync()
        _ = try await a.addFolder("F", inZone: "Club", notes: ["n"])
        try await s.atNextPush { try await a.sync.zones.delete(named: "Club") }
        try await a.sync.sync()
        #expect(try await a.titles() == [])
        #expect(try await a.sync.zones.all().count == 1)
        try await s.expectNothingUnsent()
    }

    @Test("under the policy \"keep\" a deleted zone is made again, and filled from here")
    func kept() async throws {
        let a = try s.device(model: .withParents)
        let b = try s.device(model: .withParents, [.syncResetPolicy: "keep"])
        try await a.sync.zones.create(named: "Club")
        _ = try await a.addFolder("F", inZone: "Club", notes: ["n"])
        try await s.settle()
        try await a.sync.zones.delete(named: "Club")
        try await s.sync(b, a)
        #expect(try await a.places() == ["n in 'Club'"])
        try await s.settle()
    }

    @Test("a store that is opened again knows its zones, and sends what was saved there")
    func reopened() async throws {
        var a = try s.device("phone", model: .withParents)
        try await a.sync.zones.create(named: "Club")
        let folder = try await a.addFolder("F", inZone: "Club")
        try await a.sync.sync()
        _ = try await a.addNote("unsent") { note, context in
            note.folder = try context.existingObject(with: folder) as? TestFolder
        }
        try a.close()
        a = try s.device("phone", model: .withParents)
        let b = try s.device(model: .withParents)
        try await s.settle()
        #expect(try await b.places() == ["unsent in 'Club'"])
    }

    @Test("another user who signs in gets all zones; the former one keeps them")
    func account() async throws {
        let a = try s.device(model: .withParents, [.syncWebAuthToken: "_ann"])
        try await a.sync.zones.create(named: "Club")
        _ = try await a.addFolder("F", inZone: "Club", notes: ["n"])
        try await a.sync.sync()
        a.sync.setCredentials(apiToken: nil, webAuthToken: "_bob")
        try await a.sync.sync()
        for user in ["_ann", "_bob"] {
            let device = try s.device(model: .withParents, [.syncWebAuthToken: user])
            try await device.sync.sync()
            #expect(try await device.places() == ["n in 'Club'"])
        }
        try await s.expectNothingUnsent(a)
    }

    @Test("what is erased on the server, or here, comes back with its zones")
    func erased() async throws {
        let (a, b) = try pair()
        try await a.sync.zones.create(named: "Club")
        _ = try await a.addFolder("F", inZone: "Club", notes: ["n"])
        try await s.settle()
        try await a.sync.eraseLocal()
        #expect(try await a.places() == ["n in 'Club'"])
        try await a.sync.syncFromScratch()
        #expect(try await a.places() == ["n in 'Club'"])
        try b.close()
        try await a.sync.eraseCloud()
        try await a.sync.turnOn()
        try await a.sync.sync()
        let c = try s.device(model: .withParents)
        try await c.sync.sync()
        #expect(try await c.places() == ["n in 'Club'"])
        #expect(try await c.dump() == a.dump())
    }

    @Test("assets of a zone's objects are sent, and downloaded when asked for")
    func assets() async throws {
        let (a, b) = try pair([.excludedUnchangingAsyncAssetKeys: ["photo"]])
        try await a.sync.zones.create(named: "Club")
        let photo = Data(repeating: 7, count: 70_000), cover = Data(repeating: 8, count: 50_000)
        let folder = try await a.addFolder("F", inZone: "Club")
        let note = try await a.addNote("n") { note, context in
            note.folder = try context.existingObject(with: folder) as? TestFolder
            (note.photo, note.cover) = (photo, cover)
        }
        try await s.settle()
        #expect(try await b.sync.assets.download("photo", of: note) == Asset(photo))
        #expect(try await b.sync.assets.state("cover", of: note) == .local(size: 50_000))
        try await b.sync.assets.evict("cover", of: note)
        #expect(try await b.sync.assets.download("cover", of: note) == Asset(cover))
    }

    @Test("the share of a zone is no object: its owner's devices sync on, and nothing is parked")
    func share() async throws {
        let (a, b) = try pair()
        try await a.sync.zones.create(named: "Club")
        _ = try await a.addFolder("F", inZone: "Club", notes: ["n"])
        try await s.settle()
        for name in ["Backstitch", "Backstitch.Club"] {
            let title = WireValue.string("Notes")
            try await s.zone(name).create(WireShare.zoneShareName, WireShare.recordType, ["cloudkit.title": title])
        }
        for device in [a, b] { #expect(try await device.sync.sync().parked.isEmpty) }
        try await b.sync.syncFromScratch()
        for name in ["Backstitch", "Backstitch.Club"] {
            try await s.zone(name).modify(
                RecordOperation(.forceDelete, WireRecord(recordName: WireShare.zoneShareName)))
        }
        try await s.sync(a, b)
        #expect(try await b.places() == ["n in 'Club'"])
        #expect(try await b.sync.blocked.parkedRecords().isEmpty)
    }

    @Test("a record that cannot become an object is parked in its zone, and told")
    func parked() async throws {
        let (a, b) = try pair()
        try await a.sync.zones.create(named: "Club")
        _ = try await a.addFolder("F", inZone: "Club", notes: ["n"])
        try await s.settle()
        for name in ["Backstitch", "Backstitch.Club"] {
            let zone = try s.zone(name)
            try await zone.create("odd", "Riddle", ["a": .int64(1)])
            try await zone.create("foreign", "Note", ["title": .string("from elsewhere")])
        }
        try await s.sync(b)
        #expect(try await b.sync.blocked.parkedRecords().map(\.recordName) == ["odd", "odd"])
        #expect(try await b.places() == ["from elsewhere in ''", "from elsewhere in 'Club'", "n in 'Club'"])
        try await s.settle(a, b)
    }

    @Test("a zone that is none of the store's is left alone")
    func strangers() async throws {
        let a = try s.device(model: .withParents)
        let other = try s.device(model: .withParents, [.syncZoneName: "Backstitch2"])
        try await other.sync.zones.create(named: "Club")
        _ = try await other.addFolder("F", inZone: "Club", notes: ["theirs"])
        try await s.sync(other, a)
        #expect(try await a.titles() == [])
        #expect(try await a.sync.zones.all().count == 1)
    }

    @Test("notifications about the store's zones and its database are its own, and asking begins nothing")
    func notifications() async throws {
        let a = try s.device(model: .withParents)
        func payload(_ subject: PushNotification.Subject, container: String = "iCloud.backstitch") throws -> Data {
            Data(
                try PushNotification(
                    container: container, notificationID: "1", userRecordName: nil, subscriptionID: nil,
                    subject: subject
                ).wireJSON())
        }
        let own: [PushNotification.Subject] = [
            .zone(ZoneID(zoneName: "Backstitch")), .zone(ZoneID(zoneName: "Backstitch.Club")), .database,
        ]
        for subject in own { #expect(a.sync.isPushNotification(try payload(subject))) }
        #expect(!a.sync.isPushNotification(try payload(.zone(ZoneID(zoneName: "Backstitch2")))))
        #expect(!a.sync.isPushNotification(try payload(.zone(ZoneID(zoneName: "Backstitch.")))))
        #expect(!a.sync.isPushNotification(try payload(.database, container: "iCloud.other")))
        #expect(!a.sync.isPushNotification(Data("{}".utf8)))
        #expect(!a.sync.isPushNotification(try payload(.record(name: "r", change: .update, zone: nil))))
        // Of the public database there are notifications of records, by the queries that are followed.
        let everybodys = try s.device(nil, [.syncDatabase: "public", .syncAPIToken: "program-0123456789abcdefghij"])
        let record = Data(
            try PushNotification(
                container: "iCloud.backstitch", notificationID: "1", userRecordName: nil, subscriptionID: nil,
                subject: .record(name: "r", change: .update, zone: nil), databaseScope: 1
            ).wireJSON())
        #expect(everybodys.sync.isPushNotification(record) && !a.sync.isPushNotification(record))
        #expect(try await a.sync.status.lastPull == nil)
    }
}
