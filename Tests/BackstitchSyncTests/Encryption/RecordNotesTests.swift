import Backstitch
import CloudWire
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("what is noted of a record's keys", .timeLimit(.minutes(5)))
struct RecordNotesTests {
    /// The kinds of an end of Bob's sight of a record of Alice's zone.
    enum End: String, CaseIterable, Sendable {
        case deletedThere, deletedThereEditedHere, deletedThereEditedWithoutRight, deletedHere, deletedOnBothSides
        case missedDeletion, erasedHere, share, removal, zone
    }

    @Test(
        "it ends with the record, wherever that ends, and a later key leaves nothing to be done",
        arguments: End.allCases,
        ConflictResolutionPolicy.allCases)
    func ends(_ end: End, _ policy: ConflictResolutionPolicy) async throws {
        try await SharedVaults.run { vaults in
            let s = vaults.lists.scenario
            let alice = try vaults.own("alice")
            let id = try await alice.addSecret("hidden", inZone: "Club")
            try await alice.sync.sync()
            let share = try await alice.sync.sharing.share(zoneNamed: "Club", participants: [.bob, .carol])
            let policy: [StoreOption: any Sendable] = [.syncConflictResolutionPolicy: policy.rawValue]
            let bob = try vaults.guest("bob", nil, policy), carol = try vaults.guest("carol")
            for device in [bob, carol] { try await device.sync.sharing.accept(at: share.url) }
            for _ in 0..<2 { try await s.sync(alice, bob, carol) }
            for device in [alice, bob, carol] { #expect(try device.objectsWithSealing() == [id.key]) }
            try await self.end(end, id, vaults, alice: alice, bob: bob, carol: carol)
            try await vaults.remove("carol", by: alice)
            for _ in 0..<3 { for device in [alice, bob] { try await device.sync.sync() } }
            for device in [alice, bob, carol] {
                #expect(try await device.sync.encryption.status().recordsToRotate == 0)
                let known = try await device.read { context in
                    try context.fetch(FetchRequest<ManagedObject>(entityName: "Secret")).map(\.key)
                }
                #expect(try Set(known).isSuperset(of: device.objectsWithSealing()))
            }
        }
    }

    private func end(
        _ end: End, _ id: ObjectID, _ vaults: SharedVaults, alice: SyncDevice, bob: SyncDevice, carol: SyncDevice
    ) async throws {
        switch end {
        case .deletedThere, .missedDeletion: try await alice.delete(id)
        case .deletedThereEditedHere:
            try await bob.set(id, ["text": "mine"])
            try await alice.delete(id)
        case .deletedThereEditedWithoutRight:
            try await bob.set(id, ["text": "mine"])
            var share = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            share.participants = share.participants.map { participant in
                var participant = participant
                if participant.userRecordName == "_bob" { participant.permission = .readOnly }
                return participant
            }
            _ = try await alice.sync.sharing.update(share)
            try await carol.delete(id)
            try await carol.sync.sync()
        case .deletedHere: try await bob.delete(id)
        case .deletedOnBothSides:
            try await bob.delete(id)
            try await alice.delete(id)
        case .erasedHere:
            try await bob.sync.eraseLocal()
            try await alice.delete(id)
        case .share: try await bob.sync.sharing.leave(zoneNamed: SharedVaults.name)
        case .removal: try await vaults.remove("bob", by: alice)
        case .zone:
            try await alice.sync.sharing.stop(zoneNamed: "Club")
            try await alice.sync.zones.delete(named: "Club")
            try await alice.sync.sync()
            try await bob.sync.sync()
            // Another zone of that name, so that a participant can be removed from it.
            _ = try await alice.addSecret("other", inZone: "Club")
            try await alice.sync.sync()
            _ = try await alice.sync.sharing.share(zoneNamed: "Club", participants: [.carol])
        }
        try await alice.sync.sync()
        if end == .missedDeletion { try await bob.sync.syncFromScratch() }
        try await bob.sync.sync()
    }

    @Test("the status of keys tells a problem where something cannot be done, and nowhere else")
    func problems() async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, carol, _) = try await vaults.club()
            for device in [alice, bob, carol] {
                let status = try await device.sync.encryption.status()
                #expect(status.problem == nil && status.zoneProblems.isEmpty, "\(status)")
            }
            // A zone without a key from the provider.
            let keys = try TestKeys("k1"),
                owner = try vaults.lists.own(
                    "dave", model: VaultModel.description, [.syncEncryptionKeys: KeysOfMainZone(keys)])
            try await owner.sync.sync()
            #expect(try await owner.sync.encryption.status().zoneProblems.isEmpty)
            let id = try await owner.addSecret("hidden", inZone: "Apart")
            #expect(try await owner.sync.sync().blocked.map(\.objectID) == [id])
            let status = try await owner.sync.encryption.status()
            #expect(status.problem == nil && status.currentKeyID == "k1")
            #expect(status.zoneProblems["Apart"]?.contains("no key") == true)
            keys.setCurrent(nil)
            #expect(try await owner.sync.encryption.status().problem?.contains("no key") == true)
        }
    }
}

/// Keys for the main zone alone.
private struct KeysOfMainZone: EncryptionKeyProvider {
    let keys: TestKeys

    init(_ keys: TestKeys) { self.keys = keys }

    func currentKey(inZone zone: String) async throws -> EncryptionKey {
        guard zone.isEmpty else { throw TestKeys.Missing() }
        return try keys.currentKey(inZone: zone)
    }

    func key(withID id: String, inZone zone: String) async throws -> EncryptionKey? {
        keys.key(withID: id, inZone: zone)
    }
}

extension SyncDevice {
    /// The objects of whose records' keys something is noted.
    fileprivate func objectsWithSealing() throws -> [ObjectKey] {
        try store.backing.readJournal { try $0.subjects(of: .sealing).map(\.key) }
    }
}
