import Backstitch
import BackstitchServer
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// People with secrets: each has separate keys and a separate share identity.
struct SharedVaults: Sendable {
    let lists: SharedLists
    private let identities = Locked<[String: ShareIdentity]>([:])

    static func run(
        limits: WireLimits = .extended, _ body: (SharedVaults) async throws -> Void
    ) async throws {
        try await SharedLists.run(
            limits: limits,
            configure: {
                var dave = ZoneServerConfiguration.User(
                    userRecordName: "_dave", webAuthToken: SharedLists.token("dave"))
                dave.emailAddress = "dave@example.org"
                $0.users.append(dave)
            }
        ) { try await body(SharedVaults(lists: $0)) }
    }

    /// The identity of a user, the same on all devices.
    func identity(_ user: String) -> ShareIdentity {
        identities.withLock { identities in
            let identity = identities[user] ?? .generated()
            identities[user] = identity
            return identity
        }
    }

    /// Gives a user another identity, as after the loss of the private key.
    func loseIdentity(_ user: String) { identities.withLock { $0[user] = .generated() } }

    /// A device with the user's own zones.
    func own(
        _ user: String, _ more: [StoreOption: any Sendable] = [:]
    ) throws -> SyncDevice {
        try lists.own(
            user, model: VaultModel.description,
            [.syncEncryptionKeys: try TestKeys(user), .syncShareIdentity: identity(user)].merging(more) { $1 })
    }

    /// A guest's device, in files if it has a name.
    func guest(
        _ user: String, _ name: String? = nil, _ more: [StoreOption: any Sendable] = [:]
    ) throws -> SyncDevice {
        try lists.guest(
            user, name, model: VaultModel.description,
            [.syncShareIdentity: identity(user) as any Sendable].merging(more) { $1 })
    }

    /// Alice's device with a secret in a zone that Bob and Carol may change, and their devices, once all have read it.
    func club(
        _ more: [StoreOption: any Sendable] = [:]
    ) async throws -> (alice: SyncDevice, bob: SyncDevice, carol: SyncDevice, secret: ObjectID) {
        let alice = try own("alice", more)
        let secret = try await alice.addSecret("hidden", inZone: "Club")
        try await alice.sync.sync()
        let share = try await alice.sync.sharing.share(zoneNamed: "Club", participants: [.bob, .carol])
        try await alice.sync.sync()
        let bob = try guest("bob"), carol = try guest("carol")
        for device in [bob, carol] { try await device.sync.sharing.accept(at: share.url) }
        try await lists.scenario.sync(alice, bob, carol)
        for device in [bob, carol] { #expect(try await device.values("text", of: "Secret") == ["hidden"]) }
        return (alice, bob, carol, secret)
    }

    /// Removes a participant from the share of Alice's zone.
    func remove(_ user: String, by alice: SyncDevice) async throws {
        var share = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
        share.participants.removeAll { $0.userRecordName == "_\(user)" }
        _ = try await alice.sync.sharing.update(share)
    }

    /// The place of Alice's zone.
    static let place = ZoneKeysPlace(
        container: "iCloud.backstitch", environment: "development", owner: "_alice", zone: "Backstitch.Club")
    /// The zone's name for Alice's guests.
    static let name = "_alice/Club"
}

extension SyncDevice {
    /// Adds a secret to a zone, which is made if needed.
    func addSecret(_ text: String, inZone zone: String) async throws -> ObjectID {
        if !zone.isEmpty, !zone.hasPrefix("_") { try await sync.zones.create(named: zone) }
        return try await edit { context in
            let secret = try context.make("Secret", ["text": .string(text), "label": "plain"])
            if !zone.isEmpty { try context.assign(secret, toZone: zone) }
            return secret.objectID
        }
    }

    /// Speaks with the server about one of the store's zones as the store does.
    func client(_ zone: String = "Club") async throws -> CloudClient {
        if zone.isEmpty { return sync.services.client }
        return try await sync.zones.services(ofFurtherZoneNamed: zone).client
    }

    /// The record of a zone's keys, as the server has it.
    func keysRecord(_ zone: String = "Club") async throws -> WireRecord? {
        try await client(zone).records(named: [ZoneKeysDocument.recordName]).first ?? nil
    }

    func keysDocument(_ zone: String = "Club") async throws -> ZoneKeysDocument {
        try ZoneKeysDocument(try #require(try await keysRecord(zone)))
    }

    /// Overwrites the record of keys.
    func forgeKeys(_ bytes: Data?, _ zone: String) async throws {
        let client = try await client(zone)
        var record = WireRecord(recordName: ZoneKeysDocument.recordName, recordType: ZoneKeysDocument.recordName)
        if let bytes { record.fields[ZoneKeysDocument.field] = .some(.bytes(bytes)) }
        let operation = RecordOperation(bytes == nil ? .forceDelete : .forceReplace, record)
        let answer = try await client.call(
            .recordsModify, RecordsModifyRequest(zoneID: client.zone, operations: [operation]),
            as: RecordsResponse.self)
        guard case .record? = answer.records.first else { throw TestFailure("not forged: \(answer.records)") }
    }

    /// The bytes of an encrypted field on the server.
    func sealed(_ id: ObjectID, _ field: String = "text", zone: String = "Club") async throws -> Data {
        let record = try #require(try await client(zone).records(named: [id.key.uuidString]).first ?? nil)
        guard case .bytes(let bytes)? = record.value(field) else { throw TestFailure("no bytes: \(record)") }
        return bytes
    }

    /// The name of the key of a field on the server.
    func sealedUnder(_ id: ObjectID, zone: String = "Club") async throws -> String? {
        SealedEnvelope(try await sealed(id, zone: zone))?.keyID
    }

    /// The problem of the keys of a zone, as the last look has found.
    func keyProblem(_ zone: String = "Club") async throws -> String? {
        try await sync.encryption.status().zoneProblems[zone]
    }
}
