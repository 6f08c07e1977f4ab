import Backstitch
import Foundation

extension StoreConformance {
    /// The zones of a synced store, and the objects in them.
    ///
    /// A backend must
    /// - know the objects outside the main zone, in thousands, even if their rows are missing;
    /// - return waiting entries zone by zone, and name the zones with waiting entries;
    /// - put new objects into the zone named by a save, and otherwise into that of their parent;
    /// - refuse a link between zones, in the transaction that would make it;
    /// - refuse saves and batch requests in read-only zones, or refuse such zones
    ///   (``JournalWriting/setReadOnly(_:zone:)``).
    ///
    /// Zones must cost a store nothing if it has only one, also in stores of an earlier version. A store without zones
    /// refuses a save that asks for one (``SaveChangesRequest/requireNoZones()``).
    static let zoneCases = [
        ConformanceCase("an object assigned to a zone that is not there keeps its save from storing anything") {
            bench in
            try await bench.container().perform { context in
                let tag = Tag(context: context), other = Tag(context: context)
                (tag.name, other.name) = ("assigned", "other")
                try context.assign(tag, toZone: "Team")
                let error = try expectError(.invalidRequest) { try context.save() }
                try expectEqual(error.objectID, tag.objectID)
                try expect(error.message.contains("\"Team\""), error.message)
                try expectEqual(
                    ManagedObjectContext(coordinator: context.coordinator).count(for: FetchRequest<Tag>()), 0)
                // Nothing is lost. The object can be saved after the assignment was withdrawn, or in the main zone,
                // which every store has.
                try context.assign(tag, toZone: nil)
                try context.save()
                try expectEqual(context.count(for: FetchRequest<Tag>()), 2)
            }
        },
        ConformanceCase.journal("zones have names, and objects, whether they are there or not") { bench, journal in
            let keys = bench.keys(2_500)
            try journal.writeJournal(author: "sync") { journal in
                try expectEqual(try journal.zones(), [:])
                try expectEqual(try journal.zones(of: keys), [:])
                try expectEqual(try journal.keys(inZone: 1), [])
                try journal.setZone(0, of: keys)
                try journal.putZone(1, named: "Club")
                try journal.putZone(7, named: "Z\u{E9}")
                try journal.setZone(1, of: Array(keys[..<2_000]) + [keys[0]])
                try journal.setZone(7, of: Array(keys[1_000..<2_100]))
                try journal.setZone(0, of: Array(keys[1_500..<1_600]))
            }
            try journal.readJournal { journal in
                try expectEqual(try journal.zones(), [1: "Club", 7: "Z\u{E9}"])
                try expectEqual(try journal.name(ofZone: 7), "Z\u{E9}")
                for other in [0, 2, 11] as [Int64] { try expectEqual(try journal.name(ofZone: other), nil) }
                try expectEqual(try journal.keys(inZone: 1), keys[..<1_000].sorted())
                try expectEqual(try journal.keys(inZone: 7).count, 1_000)
                try expectEqual(try journal.keys(inZone: 2), [])
                let zones = try journal.zones(of: keys)
                try expectEqual(zones.count, 2_000)
                try expect(zones[keys[0]] == 1 && zones[keys[1_000]] == 7 && zones[keys[1_550]] == nil)
            }
            try journal.writeJournal(author: "sync") { journal in
                try journal.removeZone(7)
                try journal.removeZone(99)
                try journal.putZone(1, named: "Team")
            }
            try journal.readJournal { journal in
                try expectEqual(try journal.zones(), [1: "Team"])
                try expectEqual(try journal.zones(of: keys).count, 1_000)
            }
        },
        ConformanceCase.journal("entries wait zone by zone, oldest first, blocked ones apart") { bench, journal in
            let keys = bench.keys(6)
            for key in keys { try bench.save { $0.inserts = [try bench.rows("Tag", key)] } }
            try expectEqual(try journal.readJournal { try $0.zonesWithOutbox() }, [0])
            try journal.writeJournal(author: "sync") { journal in
                try journal.putZone(1, named: "A")
                try journal.putZone(2, named: "B")
                try journal.setZone(1, of: [keys[4], keys[1]])
                try journal.setZone(2, of: [keys[3]])
                guard var entry = try journal.outbox(for: [keys[3]])[keys[3]] else { return try expect(false) }
                entry.blockedReason = "no"
                try journal.putOutbox([entry])
            }
            try journal.readJournal { journal in
                func waiting(_ zone: Int64?, after: Int64 = 0, limit: Int = 10) throws -> [ObjectKey] {
                    try journal.outbox(after: after, limit: limit, inZone: zone).map(\.objectID.key)
                }
                try expectEqual(try waiting(nil), [keys[0], keys[1], keys[2], keys[4], keys[5]])
                try expectEqual(try waiting(0), [keys[0], keys[2], keys[5]])
                try expectEqual(try waiting(0, limit: 2), [keys[0], keys[2]])
                try expectEqual(try waiting(1), [keys[1], keys[4]])
                try expectEqual(try waiting(1, after: 2), [keys[4]])
                try expectEqual(try waiting(2), [])
                try expectEqual(try journal.zonesWithOutbox(), [0, 1])
            }
        },
        ConformanceCase.journal("a new object is in the zone that its save asks for, else in that of its parent") {
            bench, journal in
            let keys = bench.keys(8)
            try journal.writeJournal(author: "sync") { try $0.putZone(3, named: "Club") }
            try bench.save { request in
                request.inserts = [
                    try bench.rows("Location", [(keys[0], [:]), (keys[1], [:])]),
                    try bench.rows(
                        "Entry",
                        [(keys[2], ["location": bench.location(keys[0])]), (keys[3], [:]), (keys[4], [:])]),
                ]
                request.zones = [keys[0]: "Club", keys[4]: "Club", keys[3]: ""]
            }
            // The parent was saved before.
            try bench.save {
                $0.inserts = [try bench.rows("Entry", keys[5], ["location": bench.location(keys[0])])]
            }
            let zones = try journal.readJournal { try $0.zones(of: keys) }
            try expectEqual(zones, [keys[0]: 3, keys[2]: 3, keys[4]: 3, keys[5]: 3])
            try expectEqual(
                try journal.readJournal { try $0.outbox(after: 0, limit: 10, inZone: 3).map(\.objectID.key) },
                [keys[0], keys[2], keys[4], keys[5]].sorted())
            // Deleted, and restored by undo: the object is in its old zone.
            let entry = try bench.store.rows(of: bench.entity("Entry"), keys: [keys[4]])
            try bench.save { $0.deletes = [entry] }
            try bench.save { $0.inserts = [try bench.rows("Entry", keys[4])] }
            try expectEqual(try journal.readJournal { try $0.zones(of: [keys[4]]) }, [keys[4]: 3])
        },
        ConformanceCase.journal("a save that asks for a zone which is not there stores nothing") { bench, journal in
            let keys = bench.keys(1)
            for zones in [[:], [1: "Club"]] as [[Int64: String]] {
                try journal.writeJournal(author: "sync") { journal in
                    for (zone, name) in zones { try journal.putZone(zone, named: name) }
                }
                try expectError(.invalidRequest) {
                    try bench.save {
                        $0.inserts = [try bench.rows("Tag", keys[0])]
                        $0.zones = [keys[0]: "Team"]
                    }
                }
                try expectEqual(try bench.all("Tag").count, 0)
            }
        },
        ConformanceCase.journal("a link from one zone to another is refused, by columns and by links of many to many") {
            bench, journal in
            let keys = bench.keys(8)
            let place = keys[0], entry = keys[1], tag = keys[2], absent = keys[3]
            try journal.writeJournal(author: "sync") { try $0.putZone(1, named: "Club") }
            try bench.save { request in
                request.inserts = [
                    try bench.rows("Location", place), try bench.rows("Entry", entry), try bench.rows("Tag", tag),
                ]
                request.zones = [place: "Club"]
            }
            let before = try bench.all("Entry")
            let saves: [(inout SaveChangesRequest) throws -> Void] = [
                { $0.updates = [bench.update(before) { _ in ["location": bench.location(place)] }] },
                {
                    $0.inserts = [try bench.rows("Entry", keys[4], ["location": bench.location(place)])]
                    $0.zones = [keys[4]: ""]
                },
                {
                    $0.inserts = [try bench.rows("Entry", keys[5], ["location": bench.location(place)])]
                    $0.links = [try bench.links("tags", of: "Entry", added: [(keys[5], tag)])]
                },
            ]
            for save in saves {
                do {
                    try bench.save(save)
                    throw ConformanceFailure(description: "the link was made")
                } catch let error as BackstitchError {
                    try expectEqual(error.code, .crossZoneRelationship)
                    let text = "\(error)"
                    try expect(text.contains("the zone \"Club\"") && text.contains("the main zone"), text)
                }
                try expectEqual(try bench.all("Entry").count, 1)
            }
            // A link to an unknown object may be in any zone, and earlier links are not checked.
            try bench.save { $0.updates = [bench.update(before) { _ in ["location": bench.location(absent)] }] }
            try bench.save { request in
                request.updates = [bench.update(try bench.all("Entry")) { _ in ["text": "x"] }]
                request.links = [try bench.links("tags", of: "Entry", added: [(entry, tag)])]
            }
        },
        ConformanceCase.journal(
            "a zone that is only read keeps saves and batch requests out, and takes what sync writes"
        ) {
            bench, journal in
            let keys = bench.keys(8)
            let place = keys[0], entry = keys[1], tag = keys[2], open = keys[3]
            try journal.writeJournal(author: "sync") { try $0.putZone(1, named: "Club") }
            try bench.save { request in
                request.inserts = [
                    try bench.rows("Location", [(place, [:]), (open, [:])]),
                    try bench.rows("Entry", entry, ["location": bench.location(place)]), try bench.rows("Tag", tag),
                ]
                request.zones = [place: "Club", tag: "Club"]
            }
            try expectEqual(try journal.readJournal { try $0.readOnlyZones() }, [])
            do {
                try journal.writeJournal(author: "sync") { try $0.setReadOnly(true, zone: 1) }
            } catch let error as BackstitchError where error.code == .invalidRequest {
                // The store has no such zones, and reports that.
                return
            }
            try expectEqual(try journal.readJournal { try $0.readOnlyZones() }, [1])
            let places = try bench.all("Location").keys, before = try bench.all("Entry")
            let stored = try bench.store.rows(of: bench.entity("Location"), keys: [place])
            let saves: [(inout SaveChangesRequest) throws -> Void] = [
                { $0.updates = [bench.update(before) { _ in ["text": "x"] }] },
                { $0.deletes = [stored] },
                { $0.links = [try bench.links("tags", of: "Entry", added: [(entry, tag)])] },
                { $0.inserts = [try bench.rows("Entry", keys[4], ["location": bench.location(place)])] },
                {
                    $0.inserts = [try bench.rows("Tag", keys[5])]
                    $0.zones = [keys[5]: "Club"]
                },
            ]
            for save in saves {
                let error = try expectError(.permissionDenied) { try bench.save(save) }
                try expect("\(error)".contains("the zone \"Club\""), "\(error)")
            }
            try expectEqual(try bench.all("Location").keys, places)
            try expectEqual(try bench.all("Entry").count, 1)
            // Objects elsewhere are changed as usual, and sync may write anywhere.
            try bench.save { $0.inserts = [try bench.rows("Entry", keys[6], ["location": bench.location(open)])] }
            try journal.writeJournal(author: "sync") { journal in
                try journal.upsert(try bench.rows("Entry", keys[7], ["location": bench.location(place)]))
                try journal.setZone(1, of: [keys[7]])
            }
            try journal.writeJournal(author: "sync") { try $0.setReadOnly(true, zone: 0) }
            try expectError(.permissionDenied) { try bench.save { $0.inserts = [try bench.rows("Tag", keys[4])] } }
            try journal.writeJournal(author: "sync") { journal in
                try journal.setReadOnly(false, zone: 0)
                try journal.removeZone(1)
            }
            // With the zone, its mark is removed.
            try expectEqual(try journal.readJournal { try $0.readOnlyZones() }, [])
            try bench.save { $0.updates = [bench.update(try bench.all("Entry")) { _ in ["text": "y"] }] }
        },
        ConformanceCase("zones and their objects are there when the store is opened again", needs: .history) { bench in
            guard bench.store.isDurable else { return }
            try await onThread {
                let migration = MigrationBench(bench: bench)
                let type = try StoreRegistry.type(named: migration.description([:]).type.rawValue)
                guard let type = type as? any JournalingStore.Type else { return }
                let generator = ObjectIDGenerator(clock: bench.clock, random: SeededGenerator(seed: 7))
                let keys = (0..<3).map { _ in generator.next() }
                try migration.journal(type, .journal) { store, _ in
                    try store.writeJournal(author: "sync") { journal in
                        try journal.putZone(4, named: "Club")
                        try journal.setZone(4, of: [keys[0], keys[2]])
                    }
                }
                try migration.journal(type, .journal) { store, _ in
                    try expectEqual(try store.readJournal { try $0.zones() }, [4: "Club"])
                    try expectEqual(try store.readJournal { try $0.keys(inZone: 4) }, [keys[0], keys[2]].sorted())
                }
            }
        },
    ]
}

extension StoreBench {
    /// The value of a to-one to a location.
    func location(_ key: ObjectKey) -> Value { .object(ObjectID(entityName: "Location", key: key)) }
}
