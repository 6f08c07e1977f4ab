import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Logging
import TestSupport
import Testing

@testable import BackstitchServer

/// If a share is open to anyone with its address, the address is the secret for access.
@Suite("the address of a share") struct ShareAddressTests {
    @Test("has 128 random bits, is another one for each share, and none that was before comes again")
    func random() async throws {
        try await SharedPlace.with(on: .directory) { place in
            var seen: Set<String> = []
            for _ in 0..<20 {
                let guid = try await place.share(everybody: .readOnly)
                #expect(guid.utf8.count == 32 && guid.allSatisfy(\.isHexDigit))
                #expect(seen.insert(guid).inserted)
                _ = try await place.alice.modify([operation(.forceDelete, WireShare.zoneShareName)])[0].record()
            }
            // Each digit is a random one: no place has the same in all, as versions of UUIDs have.
            for place in 0..<32 { #expect(Set(seen.map { Array($0)[place] }).count > 1) }
        }
    }

    @Test(
        "one that nobody has, one that has ended and one of another container are answered alike",
        arguments: StorageKind.allCases)
    func guesses(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let ended = try await place.share(everybody: .readOnly)
            _ = try await place.alice.modify([operation(.forceDelete, WireShare.zoneShareName)])[0].record()
            let live = try await place.share(everybody: .readOnly)
            var elsewhere = place.user("bob").on("public")
            elsewhere.container = "iCloud.other"
            let guessed = try await place.resolve(String(repeating: "0", count: 32), "bob")
            let answers = [
                guessed, try await place.resolve(ended, "bob"), try await place.resolve(live, by: elsewhere),
            ]
            for answer in answers {
                guard case .error(_, let error) = answer else {
                    Issue.record("\(answer)")
                    continue
                }
                #expect(error.code == .notFound && error.reason == "there is no share of this shortGUID")
            }
            guard case .share = try await place.resolve(live, "bob") else {
                Issue.record("the share that there is cannot be found")
                return
            }
        }
    }

    @Test(
        "who came with it and is then invited has the rights of the invitation, once it is accepted",
        arguments: StorageKind.allCases)
    func invitedLater(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share(everybody: .readOnly)
            try await place.accept(guid, "bob", key: "AAAA")
            let bob = place.guest("bob")
            let token = try #require(try await bob.database().token)
            #expect(try await bob.modify([operation(.create, "a")])[0].error?.code == .accessDenied)
            let came = try #require(
                try await place.save().record().share?.participants?.first { $0.type == .publicUser })
            _ = try await place.save([came, SharedPlace.invitation("BOB@example.org")]).record()
            // Until then all is as it was, also for one who tells another key.
            #expect(try await bob.modify([operation(.create, "a")])[0].error?.code == .accessDenied)
            try await place.accept(guid, "bob", key: "BBBB", onlyAsParticipant: true)
            #expect(try await bob.modify([operation(.create, "a")])[0].error?.code == .accessDenied)

            let accepted = try await place.accept(guid, "bob")
            #expect(accepted.participantType == .user && accepted.participantStatus == .accepted)
            #expect(accepted.participantPermission == .readWrite)
            #expect(try await bob.modify([operation(.create, "a")])[0].error == nil)
            let guests = try await place.save().record().share?.participants?.filter { $0.type != .owner } ?? []
            #expect(guests.map(\.type) == [.user] && guests.map(\.userIdentity.userRecordName) == ["_bob"])
            #expect(guests.map(\.publicKey) == ["BBBB"] && guests.map(\.acceptanceStatus) == [.accepted])
            #expect(try await bob.zones().count == 1)
            #expect(try await bob.database(token).zones.map(\.deleted) == [false])
            // The address is not what lets him in any more.
            _ = try await place.save(everybody: .none).record()
            #expect(try await bob.modify([operation(.create, "b")])[0].error == nil)
        }
    }

    @Test("is in no line of the log, and in no address of a request")
    func secrecy() async throws {
        let lines = Locked<[String]>([])
        let guid = Locked("")
        try await SharedPlace.with(
            on: .directory,
            {
                $0.logger = Logger(label: "test") { _ in LineLog(lines: lines) }
                $0.logger.logLevel = .trace
                $0.logsRequests = true
            }
        ) { place in
            let made = try await place.share(everybody: .readWrite)
            guid.withLock { $0 = made }
            _ = try await place.resolve(made, "bob")
            try await place.accept(made, "bob")
            _ = try await place.guest("bob").modify([operation(.forceDelete, WireShare.zoneShareName)])
            _ = try await place.resolve("f" + made.dropFirst(), "bob")
        }
        let log = lines.withLock { $0 }, secret = guid.withLock { $0 }
        #expect(log.contains { $0.contains("records/accept") } && secret.utf8.count == 32)
        #expect(!log.contains { $0.contains(secret) })
    }
}
