import CloudWire
import Testing

@testable import BackstitchServer

@Suite("a zone that is shared") struct SharedZoneTests {
    @Test(
        "an invited user finds the share by its address, accepts it, and reads and changes the zone like its owner",
        arguments: StorageKind.allCases)
    func accepting(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share([SharedPlace.invitation("Bob@example.org")])
            let bob = place.guest("bob")
            #expect(try await bob.zones().isEmpty)
            guard case .share(let found) = try await place.resolve(guid, "bob") else {
                Issue.record("not resolved")
                return
            }
            #expect(found.participantStatus == .invited && found.participantPermission == .readWrite)
            #expect(found.ownerIdentity.nameComponents.givenName == "Alice")
            let before = try await place.alice.page().syncToken
            let accepted = try await place.accept(guid, "bob")
            #expect(accepted.participantStatus == .accepted && accepted.databaseScope == .shared)
            #expect(accepted.zoneID.ownerRecordName == "_alice" && accepted.share.value("cloudkit.title") != nil)
            // To accept again changes nothing, as a device does that has not heard the answer.
            let token = try await bob.page().syncToken
            #expect(try await place.accept(guid, "bob").participantStatus == .accepted)
            #expect(try await bob.page(token).records.isEmpty)

            #expect(
                try await bob.zones() == [
                    ZoneID(zoneName: "Z", ownerRecordName: "_alice", zoneType: .custom)
                ])
            #expect(try await bob.lookup(["list"])[0].record().value("title") == .string("Food"))
            _ = try await bob.modify([create("milk", ["title": .string("Milk")])])[0].record()
            let news = try await place.alice.page(before)
            #expect(Set(news.records.map(\.recordName)) == ["milk", WireShare.zoneShareName])
            let record = try await place.alice.lookup(["milk"])[0].record()
            #expect(record.created?.userRecordName == "_bob")
            let share = try #require(news.records.first { $0.recordName == WireShare.zoneShareName }?.share)
            #expect(share.participants?.map(\.acceptanceStatus) == [.accepted, .accepted])
            #expect(share.participants?.map { $0.userIdentity.nameComponents.givenName } == ["Alice", "Bob"])
            #expect(share.currentUserParticipant?.type == .owner)
        }
    }

    @Test(
        "the feed of a guest's database names the zone when it comes, changes and goes", arguments: StorageKind.allCases
    )
    func feed(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share(everybody: .readWrite)
            let bob = place.guest("bob")
            let empty = try await bob.database()
            #expect(empty.zones.isEmpty)
            try await place.accept(guid, "bob")
            let came = try await bob.database(empty.token)
            #expect(came.zones.map(\.zoneID.ownerRecordName) == ["_alice"] && came.zones[0].deleted == false)
            #expect(try await bob.database(came.token).zones.isEmpty)
            try await place.alice.save("milk")
            let changed = try await bob.database(came.token)
            #expect(changed.zones.map(\.zoneID.zoneName) == ["Z"])
            // One's own changes too, as in a private database.
            _ = try await bob.modify([create("bread")])[0].record()
            let own = try await bob.database(changed.token)
            #expect(own.zones.count == 1)
            _ = try await place.alice.modify([operation(.forceDelete, WireShare.zoneShareName)])[0].record()
            let gone = try await bob.database(own.token)
            #expect(gone.zones.map(\.deleted) == [true])
            #expect(try await bob.zones().isEmpty)
            await expectFailure(.zoneNotFound) { try await bob.page() }
            #expect(try await bob.lookup(["list"])[0].error?.code == .zoneNotFound)
            #expect(try await bob.modify([create("x")])[0].error?.code == .zoneNotFound)
            // The owner keeps everything.
            #expect(try await place.alice.lookup(["list", "milk", "bread"]).allSatisfy { $0.error == nil })
            guard case .error(_, let error) = try await place.resolve(guid, "bob") else {
                Issue.record("the address is still good")
                return
            }
            #expect(error.code == .notFound)
        }
    }

    @Test("who has not been invited learns nothing of a share but that", arguments: StorageKind.allCases)
    func strangers(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share([SharedPlace.invitation("bob@example.org")])
            guard case .error(_, let error) = try await place.resolve(guid, "carol") else {
                Issue.record("a stranger resolves the share")
                return
            }
            #expect(error.code == .accessDenied && !error.reason.contains("bob"))
            await expectFailure(.accessDenied) { try await place.accept(guid, "carol") }
            await expectFailure(.notFound) { try await place.accept("0123456789abcdef", "bob") }
            await expectFailure(.notFound) { try await place.accept("\0", "bob") }
            let carol = place.guest("carol")
            #expect(try await carol.zones().isEmpty)
            #expect(try await carol.database().zones.isEmpty)
            await expectFailure(.zoneNotFound) { try await carol.page() }
        }
    }

    @Test("a share that one guest may only read refuses each of the guest's changes", arguments: StorageKind.allCases)
    func readers(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share([SharedPlace.invitation("bob@example.org", .readOnly)])
            try await place.accept(guid, "bob")
            let bob = place.guest("bob")
            let list = try await bob.lookup(["list"])[0].record()
            for kind in RecordOperation.Kind.allCases {
                let name = kind == .create ? "new" : "list"
                let result = try await bob.modify([
                    operation(kind, name, tag: list.recordChangeTag, ["title": .string("x")])
                ])[0]
                #expect(result.error?.code == .accessDenied, "\(kind)")
                #expect(result.failure?.serverRecord == nil)
            }
            await expectFailure(.accessDenied) {
                let _: AssetUploadResponse = try await bob.client.call(
                    .assetsUpload, AssetUploadRequest(zoneID: SharedPlace.zone, tokens: []))
            }
            #expect(try await bob.lookup(["list"])[0].record().recordChangeTag == list.recordChangeTag)
            // More rights come and go while the token stays good.
            let token = try await bob.page().syncToken
            let share = try await place.alice.lookup([WireShare.zoneShareName])[0].record().share
            var guest = try #require(share?.participants?.last)
            guest.permission = .readWrite
            _ = try await place.save([guest]).record()
            _ = try await bob.modify([create("new")])[0].record()
            guest.permission = .readOnly
            _ = try await place.save([guest]).record()
            #expect(try await bob.modify([create("newer")])[0].error?.code == .accessDenied)
            #expect(Set(try await bob.page(token).records.map(\.recordName)) == ["new", WireShare.zoneShareName])
        }
    }

    @Test(
        "rights for everybody with the address hold for all who came so, and end with them",
        arguments: StorageKind.allCases)
    func everybody(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share(everybody: .readOnly)
            #expect(try await place.accept(guid, "bob").participantType == .publicUser)
            let bob = place.guest("bob")
            #expect(try await bob.modify([create("x")])[0].error?.code == .accessDenied)
            _ = try await place.save(everybody: .readWrite).record()
            _ = try await bob.modify([create("x")])[0].record()
            let token = try await bob.database().token
            _ = try await place.save(everybody: SharePermission.none).record()
            #expect(try await bob.database(token).zones.map(\.deleted) == [true])
            await expectFailure(.zoneNotFound) { try await bob.page() }
            await expectFailure(.accessDenied) { try await place.accept(guid, "bob") }
        }
    }

    @Test(
        "a guest leaves by deleting the share, or the zone, and the owner loses nothing",
        arguments: StorageKind.allCases)
    func leaving(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share(everybody: .readWrite)
            for (name, byZone) in [("bob", false), ("carol", true)] {
                try await place.accept(guid, name)
                let guest = place.guest(name)
                let token = try await guest.database().token, seen = try await place.alice.page().syncToken
                if byZone {
                    let answer: ZonesResponse = try await guest.client.call(
                        .zonesModify, ZonesModifyRequest(operations: [.init(.delete, SharedPlace.zone)]))
                    guard case .zone(let left)? = answer.zones.first else {
                        Issue.record("\(answer)")
                        return
                    }
                    #expect(left.deleted == true)
                } else {
                    let left = try await guest.modify([operation(.forceDelete, WireShare.zoneShareName)])[0].record()
                    #expect(left.deleted)
                }
                #expect(try await guest.database(token).zones.map(\.deleted) == [true])
                await expectFailure(.zoneNotFound) { try await guest.page() }
                let news = try await place.alice.page(seen).records
                #expect(news.map(\.recordName) == [WireShare.zoneShareName])
                let participants = try #require(news.first?.share?.participants)
                #expect(!participants.contains { $0.userIdentity.userRecordName == "_\(name)" })
                // The address is good still.
                try await place.accept(guid, name)
                #expect(try await guest.page().records.map(\.recordName).contains("list"))
            }
        }
    }

    @Test(
        "a zone that its owner deletes is gone for its guests, and one made anew is not theirs",
        arguments: StorageKind.allCases)
    func deletedZone(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share(everybody: .readWrite)
            try await place.accept(guid, "bob")
            let bob = place.guest("bob")
            let token = try await bob.database().token
            let _: ZonesResponse = try await place.alice.call(
                .zonesModify, ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)]))
            #expect(try await bob.database(token).zones.map(\.deleted) == [true])
            try await place.alice.makeZone()
            try await place.alice.save("secret")
            await expectFailure(.zoneNotFound) { try await bob.page() }
            await expectFailure(.notFound) { try await place.accept(guid, "bob") }
            let next = try await place.share(everybody: .readWrite)
            #expect(next != guid)
            let old = try await bob.database().token
            try await place.accept(next, "bob")
            #expect(try await bob.page().records.contains { $0.recordName == "secret" })
            #expect(try await bob.database(old).zones.map(\.deleted) == [false])
        }
    }
}
