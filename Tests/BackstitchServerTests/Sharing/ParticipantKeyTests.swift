import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("the public keys of those who take part in a share") struct ParticipantKeyTests {
    private static func key(_ byte: UInt8, count: Int = 33) -> String {
        Data(repeating: byte, count: count).base64EncodedString()
    }

    /// The keys by users, as a user sees them in the share's record.
    private func keys(_ place: SharedPlace, _ user: String) async throws -> [String: String] {
        let client = user == "alice" ? place.alice : place.guest(user).client
        let answer: RecordsResponse = try await client.call(
            .recordsLookup,
            RecordsLookupRequest(
                zoneID: user == "alice" ? TestClient.zone : SharedPlace.zone,
                records: [.init(recordName: WireShare.zoneShareName)]))
        let participants = try answer.records[0].record().share?.participants ?? []
        return Dictionary(
            participants.compactMap { participant in
                participant.userIdentity.userRecordName.flatMap { user in participant.publicKey.map { (user, $0) } }
            }, uniquingKeysWith: { $1 })
    }

    @Test(
        "each tells a key by accepting, the owner too, replaces it in the same way, and all who take part see it",
        arguments: StorageKind.allCases)
    func telling(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share(["bob", "carol"].map { SharedPlace.invitation("\($0)@example.org") })
            let accepted = try await place.accept(guid, "bob", key: Self.key(1))
            #expect(accepted.shortGUID == ShortGUID(guid))
            #expect(accepted.share.share?.currentUserParticipant?.publicKey == Self.key(1))
            try await place.accept(guid, "carol")
            #expect(try await keys(place, "carol") == ["_bob": Self.key(1)])
            // To accept again without a key takes none away.
            try await place.accept(guid, "bob")
            #expect(try await keys(place, "alice") == ["_bob": Self.key(1)])
            // The owner's guests hear of the owner's key, and the owner's devices of another one of a guest.
            let carols = try await place.guest("carol").page().syncToken, own = try await place.alice.page().syncToken
            let database = try await place.guest("carol").database().token
            let owner = try await place.accept(guid, "alice", key: Self.key(2))
            #expect(owner.databaseScope == .private && owner.participantType == .owner)
            #expect(
                try await place.guest("carol").page(carols).records.map(\.recordName) == [WireShare.zoneShareName])
            #expect(try await place.guest("carol").database(database).zones.map(\.zoneID.zoneName) == ["Z"])
            try await place.accept(guid, "bob", key: Self.key(3))
            #expect(try await place.alice.page(own).records.map(\.recordName) == [WireShare.zoneShareName])
            let now = ["_alice": Self.key(2), "_bob": Self.key(3)]
            for user in ["alice", "bob", "carol"] { #expect(try await keys(place, user) == now, "\(user)") }
            // The same key once more is no news.
            let token = try await place.alice.page().syncToken
            try await place.accept(guid, "bob", key: Self.key(3))
            #expect(try await place.alice.page(token).records.isEmpty)
            #expect(try await place.alice.lookup(["list"])[0].record().value("title") == .string("Food"))
        }
    }

    @Test("a key that is told as a participant lets nobody join, or come back", arguments: StorageKind.allCases)
    func onlyAsParticipant(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share(everybody: .readWrite, [SharedPlace.invitation("bob@example.org")])
            func isRefused(_ user: String) async {
                await expectFailure(.accessDenied) {
                    try await place.accept(guid, user, key: Self.key(4), onlyAsParticipant: true)
                }
            }
            for user in ["bob", "carol"] { await isRefused(user) }
            #expect(try await keys(place, "alice").isEmpty)
            try await place.accept(guid, "bob", key: Self.key(1))
            try await place.accept(guid, "bob", key: Self.key(2), onlyAsParticipant: true)
            #expect(try await keys(place, "alice") == ["_bob": Self.key(2)])
            _ = try await place.guest("bob").modify([
                RecordOperation(.forceDelete, WireRecord(recordName: WireShare.zoneShareName))
            ])
            await isRefused("bob")
            #expect(try await place.guest("bob").zones().isEmpty)
            #expect(try await keys(place, "alice").isEmpty)
        }
    }

    @Test(
        "nobody tells or replaces another one's key, and it goes with its participant", arguments: StorageKind.allCases)
    func ofOthers(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share([
                SharedPlace.invitation("bob@example.org", type: .administrator),
                SharedPlace.invitation("carol@example.org"),
            ])
            try await place.accept(guid, "bob", key: Self.key(1))
            try await place.accept(guid, "carol", key: Self.key(2))
            let both = ["_bob": Self.key(1), "_carol": Self.key(2)]
            // The owner and an administrator may change the share, and not the keys.
            for user in [place.alice, place.guest("bob").client] {
                let share = try await place.alice.lookup([WireShare.zoneShareName])[0].record().share
                let forged = share?.participants?.map { participant in
                    var forged = participant
                    forged.publicKey = Self.key(9)
                    return forged
                }
                _ = try await place.save(forged, by: user).record()
                #expect(try await keys(place, "alice") == both)
            }
            // A guest, an invited user and a stranger may not change it at all.
            let share = try await place.alice.lookup([WireShare.zoneShareName])[0].record().share
            #expect(try await place.save(share?.participants, by: place.guest("carol").client).error != nil)
            await expectFailure(.accessDenied) { try await place.accept(guid, "dave", key: Self.key(9)) }
            // To look is not to tell.
            let looked: ShareResultsResponse = try await place.user("carol").on("public").call(
                .recordsResolve, ShareGUIDsRequest(shortGUIDs: [ShortGUID(guid, publicKey: Self.key(9))]))
            guard case .share = looked.results.first else { throw TestFailure("not resolved: \(looked)") }
            #expect(try await keys(place, "alice") == both)
            // A user who is removed has none, and tells it anew after coming back.
            let left = share?.participants?.filter { $0.userIdentity.userRecordName != "_carol" }
            _ = try await place.save(left).record()
            #expect(try await keys(place, "alice") == ["_bob": Self.key(1)])
            await expectFailure(.accessDenied) { try await place.accept(guid, "carol", key: Self.key(9)) }
            _ = try await place.save((left ?? []) + [SharedPlace.invitation("carol@example.org")]).record()
            try await place.accept(guid, "carol")
            #expect(try await keys(place, "bob") == ["_bob": Self.key(1)])
        }
    }

    @Test("a key that is none, or too long, is refused, and nothing is accepted")
    func bounds() async throws {
        try await SharedPlace.with(on: .directory) { place in
            let guid = try await place.share([SharedPlace.invitation("bob@example.org")])
            for bad in ["", "no base64", Self.key(1, count: 129), Self.key(1, count: 100_000)] {
                await expectFailure(.badRequest) { try await place.accept(guid, "bob", key: bad) }
            }
            #expect(try await place.guest("bob").zones().isEmpty)
            #expect(try await keys(place, "alice").isEmpty)
            try await place.accept(guid, "bob", key: Self.key(1, count: 128))
            #expect(try await keys(place, "alice") == ["_bob": Self.key(1, count: 128)])
        }
    }

    @Test("a participant of a share of a record tells a key as well", arguments: StorageKind.allCases)
    func ofRecords(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            var record = WireRecord(recordName: "Share-1", recordType: WireShare.recordType)
            var share = WireShare()
            share.publicPermission = .readOnly
            share.forRecord = WireShare.RecordID(recordName: "list")
            record.share = share
            let made = try await place.alice.modify([RecordOperation(.create, record)])[0].record()
            let guid = try #require(made.share?.shortGUID)
            try await place.accept(guid, "bob", key: Self.key(1))
            let token = try await place.guest("bob").page().syncToken
            try await place.accept(guid, "bob", key: Self.key(2))
            let news = try await place.guest("bob").page(token).records
            #expect(news.map(\.recordName) == ["Share-1"])
            #expect(news.first?.share?.currentUserParticipant?.publicKey == Self.key(2))
        }
    }
}

extension ShortGUID {
    fileprivate init(_ value: String, publicKey: String) {
        self.init(value)
        self.publicKey = publicKey
    }
}
