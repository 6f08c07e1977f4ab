import Backstitch
import BackstitchSync
import TestSupport
import Testing

@Suite("unique values, and what guests see", .timeLimit(.minutes(5)))
struct SharedUniqueTests {
    /// Labels with unique names, some below trips and some without a parent, and stops that have labels.
    private static let model = ManagedObjectModel([
        EntityDescription(
            "Trip", [.attribute("name", .string), .toMany("labels", "Label", inverse: "trip", delete: .cascade)]),
        EntityDescription(
            "Label", unique: [["name"]],
            [
                .attribute("name", .string), .attribute("color", .string),
                .toOne("trip", "Trip", inverse: "labels"), .toMany("stops", "Stop", inverse: "label"),
            ]
        ).parent("trip"),
        EntityDescription("Stop", [.attribute("name", .string), .toOne("label", "Label", inverse: "stops")]),
    ])

    /// Alice's device with trips on the server. One is shared with Bob, and one with Carol.
    private static func trips(
        _ lists: SharedLists
    ) async throws -> (alice: SyncDevice, bob: SyncDevice, carol: SyncDevice) {
        let alice = try lists.own("alice", model: model)
        var guests: [SyncDevice] = []
        for (name, user) in [("Rome", "bob"), ("Oslo", "carol")] {
            let trip = try await alice.add(["name": .string(name)], "Trip")
            try await alice.sync.sync()
            let share = try await alice.sync.sharing.shareInPlace(
                trip, participants: [Share.Participant(emailAddress: "\(user)@example.org")])
            guests.append(try await lists.joined(user, share, model: model))
        }
        try await alice.sync.sync()
        return (alice, guests[0], guests[1])
    }

    @Test(
        "a hidden object never takes the place of one that guests see, whichever was made first",
        arguments: [false, true])
    func hidden(isHiddenFirst: Bool) async throws {
        try await SharedLists.run { lists in
            let (alice, bob, _) = try await Self.trips(lists)
            let numbers: (hidden: UInt64, seen: UInt64) = isHiddenFirst ? (1, 2) : (2, 1)
            let tablet = try lists.own("alice", model: Self.model)
            try await tablet.sync.sync()
            try await alice.edit { context in
                let label = try context.make("Label", ["name": "red", "color": "#f00"], number: numbers.hidden)
                try context.make("Stop", ["name": "hers"]).setObject(label, forKey: "label")
            }
            try await alice.sync.sync()
            let seen = try await bob.addLabel("red", number: numbers.seen)
            try await bob.sync.sync()
            var merged: [MergedObjects] = []
            for device in [alice, tablet, alice, bob, tablet] { merged += try await device.sync.sync().merged }
            #expect(Set(merged.map(\.stays)) == [seen])
            for device in [alice, tablet, bob] { #expect(try await device.labels() == [seen]) }
            #expect(try await alice.dump() == tablet.dump())
            try await alice.read { context in
                let label: ManagedObject? = try context.one("Stop")["label"]
                #expect(label?.objectID == seen)
            }
        }
    }

    @Test(
        "of two that different guests see none takes the other's place: one waits, with the remedy, until it is free",
        arguments: [false, true])
    func apart(comeTogether: Bool) async throws {
        try await SharedLists.run { lists in
            let (alice, bob, carol) = try await Self.trips(lists)
            let first = try await bob.addLabel("red", number: 1)
            try await bob.sync.sync()
            if !comeTogether { try await alice.sync.sync() }
            let second = try await carol.addLabel("red", number: 2)
            try await carol.sync.sync()
            let parked = try await alice.sync.sync().parked
            #expect(parked.map(\.recordName) == [second.key.uuidString])
            #expect(parked.first?.reason.contains("change or delete one of them") == true)
            #expect(try await alice.labels() == [first])
            for device in [alice, bob, carol, alice, bob, carol] {
                #expect(try await device.sync.sync().parked.isEmpty)
            }
            #expect(try await bob.labels() == [first])
            #expect(try await carol.labels() == [second])
            // The one that is here is changed: the other one comes.
            try await alice.set(first, ["name": "crimson"])
            try await alice.sync.sync()
            try await alice.sync.sync()
            #expect(try await alice.labels() == [first, second])
            #expect(try await alice.sync.blocked.parkedRecords().isEmpty)
        }
    }

    @Test("a label of a shared zone waits while one of another zone has its name, and comes once it is free")
    func zones() async throws {
        try await SharedLists.run { lists in
            let alice = try lists.own("alice", model: Self.model)
            let hers = try await alice.add(["name": "red"], "Label")
            try await alice.sync.zones.create(named: "Club")
            try await alice.edit { context in
                try context.assign(try context.make("Trip", ["name": "Rome"]), toZone: "Club")
            }
            try await alice.sync.sync()
            let share = try await alice.sync.sharing.share(zoneNamed: "Club", participants: [.bob])
            let bob = try await lists.joined("bob", share, model: Self.model)
            let his = try await bob.addLabel("red", number: 9)
            try await bob.sync.sync()
            let parked = try await alice.sync.sync().parked
            #expect(parked.map(\.recordName) == [his.key.uuidString])
            #expect(parked.first?.reason.contains("change or delete one of the two") == true)
            #expect(try await alice.sync.sync().parked.isEmpty)
            try await alice.set(hers, ["name": "crimson"])
            try await alice.sync.sync()
            #expect(try await alice.labels() == Set([hers, his]))
            #expect(try await alice.sync.blocked.parkedRecords().isEmpty)
            #expect(try await bob.labels() == [his])
        }
    }
}

extension SyncDevice {
    /// Makes a label of the only trip that is here.
    fileprivate func addLabel(_ name: String, number: UInt64) async throws -> ObjectID {
        try await edit { context in
            let label = try context.make("Label", ["name": .string(name)], number: number)
            try label.setObject(try context.one("Trip"), forKey: "trip")
            return label.objectID
        }
    }

    fileprivate func labels() async throws -> Set<ObjectID> {
        try await read { context in Set(try context.all("Label").map(\.objectID)) }
    }
}
