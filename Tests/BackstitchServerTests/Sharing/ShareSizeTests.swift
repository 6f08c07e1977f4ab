import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Shares with the maximum number of participants, each of about 800 bytes in an answer.
@Suite("the size of shares") struct ShareSizeTests {
    private typealias Place = SharedPlace

    private static func guests(_ count: Int = StoredShare.mostParticipants - 2) -> [WireParticipant] {
        (0..<count).map { number in
            let name = "\(number)" + String(repeating: "x", count: 250)
            return WireParticipant(.init(userRecordName: name), type: .user, permission: .readOnly)
        }
    }

    /// Makes shares of records of their own, ten a commit, and gives what names them.
    private func makeShares(_ count: Int, in place: Place) async throws -> [String] {
        var found: [String] = []
        for start in stride(from: 0, to: count, by: 10) {
            let made = try await place.alice.modify(operations(start..<min(start + 10, count)))
            found += try made.compactMap { try $0.record().share?.shortGUID }
        }
        return found
    }

    private func operations(_ numbers: Range<Int>) -> [RecordOperation] {
        let participants = Self.guests() + [Place.invitation("bob@example.org")]
        return numbers.flatMap { number in
            [
                Place.item("root \(number)", in: nil),
                Place.share("share \(number)", of: "root \(number)", participants),
            ]
        }
    }

    /// Reads a feed from its beginning, and gives the shares with the numbers of their participants.
    private func read(_ client: TestClient, _ zone: ZoneID, limit: Int) async throws -> [String: Int] {
        var shares: [String: Int] = [:], token: String?, pages = 0
        while true {
            let request = ZoneChangesRequest(zones: [.init(zoneID: zone, syncToken: token)])
            let path = WireEndpoint.changesZone.path(
                container: client.container, environment: client.environment, database: client.database)
            let answer = try await client.raw(path, request.wireJSON())
            #expect(answer.body.count <= limit, "\(answer.body.count) bytes")
            guard case .changes(let page)? = try ZoneChangesResponse(wireJSON: answer.body).zones.first else {
                throw TestFailure(String(answer.text.prefix(300)))
            }
            for record in page.records where record.recordType == WireShare.recordType {
                #expect(shares[record.recordName] == nil)
                shares[record.recordName] = record.share?.participants?.count ?? 0
            }
            pages += 1
            token = page.syncToken
            if !page.moreComing { break }
        }
        #expect(pages > 1)
        return shares
    }

    @Test(
        "participants count in pages of changes, in look-ups and in what a share answers",
        arguments: StorageKind.allCases)
    func answers(_ kind: StorageKind) async throws {
        try await Place.with(on: kind) { place in
            let guids = try await makeShares(60, in: place), limit = place.server.configuration.standardLimits.answer
            let all = Dictionary(uniqueKeysWithValues: (0..<60).map { ("share \($0)", StoredShare.mostParticipants) })
            var alice = place.alice, bob = place.user("bob").on("shared")
            (alice.extensions, bob.extensions) = (false, false)
            #expect(try await read(alice, TestClient.zone, limit: limit) == all)

            await expectFailure(.badRequest) { try await alice.lookup((0..<60).map { "share \($0)" }) }
            #expect(try await alice.lookup((0..<30).map { "share \($0)" }).allSatisfy { $0.error == nil })

            func ask(_ endpoint: WireEndpoint, _ guids: some Sequence<String>) async throws -> ShareResultsResponse {
                try await bob.on("public").call(endpoint, ShareGUIDsRequest(shortGUIDs: guids.map { ShortGUID($0) }))
            }
            let resolved = try await ask(.recordsResolve, guids).results
            let refused = resolved.filter { if case .error = $0 { true } else { false } }
            #expect(resolved.count == 60 && (1..<40).contains(refused.count))
            guard case .error(_, let error)? = refused.last else { throw TestFailure("\(resolved.count)") }
            #expect(error.isLimitExceeded)
            // All of them or none: nothing is accepted whose answer would be too large.
            await expectFailure(.badRequest) { try await ask(.recordsAccept, guids) }
            #expect(try await place.guest("bob").zones().isEmpty)
            for start in stride(from: 0, to: 60, by: 20) {
                _ = try await ask(.recordsAccept, guids[start..<start + 20])
            }
            #expect(try await read(bob, Place.zone, limit: limit) == all)
        }
    }

    @Test("a commit has no more participants than bytes, and a request no more shares than it may have")
    func requests() async throws {
        try await Place.with(on: .directory) { place in
            await expectFailure(.badRequest) { try await place.alice.modify(operations(0..<120)) }
            let found = try await place.alice.lookup(["root 0"])
            #expect(found[0].error?.code == .notFound)
            let many = (0...100).map { ShortGUID("\($0)") }
            for endpoint in [WireEndpoint.recordsResolve, .recordsAccept] {
                await expectFailure(.badRequest) {
                    let _: ShareResultsResponse = try await place.alice.on("public").call(
                        endpoint, ShareGUIDsRequest(shortGUIDs: many))
                }
            }
        }
    }
}
