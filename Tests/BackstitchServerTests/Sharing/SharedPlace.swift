import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Alice with a zone that contains a record, and others who may be invited.
struct SharedPlace: Sendable {
    static let zone = ZoneID(zoneName: "Z", ownerRecordName: "_alice")

    let client: TestClient
    let server: ZoneServer

    /// A user, in the private database.
    func user(_ name: String) -> TestClient {
        var copy = client.extended()
        copy.bearer = strong(name)
        return copy
    }

    var alice: TestClient { user("alice") }
    var bob: TestClient { user("bob") }

    /// Runs `body` with Alice's zone of one record; her guests have addresses like `bob@example.org`.
    static func with(
        on kind: StorageKind, _ change: @escaping (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (SharedPlace) async throws -> Void
    ) async throws {
        try await withServer(
            on: kind,
            {
                $0.users = ["alice", "bob", "carol", "dave"].map { name in
                    var user = ZoneServerConfiguration.User(userRecordName: "_\(name)", webAuthToken: strong(name))
                    user.emailAddress = "\(name)@example.org"
                    user.nameComponents = UserNameComponents(givenName: name.capitalized)
                    return user
                }
                change(&$0)
            }
        ) { client, server in
            let place = SharedPlace(client: client, server: server)
            try await place.alice.makeZone()
            try await place.alice.save("list", ["title": .string("Food")])
            try await body(place)
        }
    }

    static func invitation(
        _ address: String, _ permission: SharePermission = .readWrite, type: WireParticipant.Kind = .user
    ) -> WireParticipant {
        WireParticipant(.init(lookupInfo: UserLookupInfo(emailAddress: address)), type: type, permission: permission)
    }

    /// Makes or changes the share.
    func save(
        as kind: RecordOperation.Kind = .forceUpdate, everybody: SharePermission? = nil,
        _ participants: [WireParticipant]? = nil, by user: TestClient? = nil, zone: String = "Z"
    ) async throws -> RecordResult {
        var record = WireRecord(
            recordName: WireShare.zoneShareName, recordType: WireShare.recordType,
            fields: ["cloudkit.title": .string("Food")])
        var share = WireShare()
        share.publicPermission = everybody
        share.participants = participants
        record.share = share
        let operations = [RecordOperation(kind, record)]
        let answer: RecordsResponse = try await (user ?? alice).call(
            .recordsModify,
            RecordsModifyRequest(
                zoneID: user?.database == "shared" ? Self.zone : ZoneID(zoneName: zone), operations: operations))
        return answer.records[0]
    }

    /// Makes the share and gives what names it.
    func share(
        everybody: SharePermission? = nil, _ participants: [WireParticipant] = [], zone: String = "Z"
    ) async throws -> String {
        let saved = try await save(everybody: everybody, participants, zone: zone).record()
        return try #require(saved.share?.shortGUID)
    }

    @discardableResult
    func accept(
        _ guid: String, _ user: String, key: String? = nil, onlyAsParticipant: Bool = false
    ) async throws -> ResolvedShare {
        var guid = ShortGUID(guid)
        guid.publicKey = key
        guid.onlyAsParticipant = onlyAsParticipant
        let answer: ShareResultsResponse = try await self.user(user).on("public").call(
            .recordsAccept, ShareGUIDsRequest(shortGUIDs: [guid]))
        guard case .share(let share)? = answer.results.first else { throw TestFailure("not accepted: \(answer)") }
        return share
    }

    func resolve(_ guid: String, _ user: String) async throws -> ShareResult {
        try await resolve(guid, by: self.user(user).on("public"))
    }

    func resolve(_ guid: String, by client: TestClient) async throws -> ShareResult {
        let answer: ShareResultsResponse = try await client.call(
            .recordsResolve, ShareGUIDsRequest(shortGUIDs: [ShortGUID(guid)]))
        return answer.results[0]
    }

    /// A user as a guest: in the database of what others share.
    func guest(_ name: String) -> Guest { Guest(client: user(name).on("shared")) }

    /// The calls of a guest in Alice's zone.
    struct Guest: Sendable {
        let client: TestClient

        func modify(_ operations: [RecordOperation]) async throws -> [RecordResult] {
            let answer: RecordsResponse = try await client.call(
                .recordsModify, RecordsModifyRequest(zoneID: SharedPlace.zone, operations: operations))
            return answer.records
        }

        func lookup(_ names: [String]) async throws -> [RecordResult] {
            let answer: RecordsResponse = try await client.call(
                .recordsLookup,
                RecordsLookupRequest(zoneID: SharedPlace.zone, records: names.map { .init(recordName: $0) }))
            return answer.records
        }

        func zones() async throws -> [ZoneID] {
            let answer: ZonesResponse = try await client.call(.zonesList)
            return answer.zones.compactMap { if case .zone(let zone) = $0 { zone.zoneID } else { nil } }
        }

        func page(_ token: String? = nil, limit: Int? = nil, reverse: Bool? = nil) async throws -> ZoneChanges {
            let answer: ZoneChangesResponse = try await client.call(
                .changesZone,
                ZoneChangesRequest(
                    zones: [.init(zoneID: SharedPlace.zone, syncToken: token, reverse: reverse)], resultsLimit: limit))
            switch answer.zones.first {
            case .changes(let changes): return changes
            case .error(let error): throw error.error
            case nil: throw TestFailure("no zone in the answer")
            }
        }

        /// The zones that have changed since, and the token.
        func database(_ token: String? = nil) async throws -> (zones: [ZoneInfo], token: String?) {
            let answer: DatabaseChangesResponse = try await client.call(
                .changesDatabase, DatabaseChangesRequest(syncToken: token))
            let zones = answer.zones.compactMap { if case .zone(let zone) = $0 { zone } else { nil } }
            return (zones, answer.syncToken)
        }
    }
}
