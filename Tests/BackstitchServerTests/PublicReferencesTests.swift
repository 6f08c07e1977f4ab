import CloudWire
import Testing

@testable import BackstitchServer

/// References in the public database, from users' records to records of others.
@Suite("references to records of others") struct PublicReferencesTests {
    private func link(_ target: String, _ action: WireReference.Action) -> [String: WireValue?] {
        ["to": .reference(WireReference(recordName: target, action: action))]
    }

    private func withUsers(
        on kind: StorageKind, _ body: (_ ada: TestClient, _ eve: TestClient) async throws -> Void
    ) async throws {
        try await withServer(
            on: kind,
            { $0.users = ["ada", "eve"].map { .init(userRecordName: "_\($0)", webAuthToken: strong($0)) } }
        ) { client, _ in
            var ada = client.on("public").extended(), eve = ada
            (ada.bearer, eve.bearer) = (strong("ada"), strong("eve"))
            try await body(ada, eve)
        }
    }

    @Test(
        "one of another user with VALIDATE keeps nobody from deletion, one of one's own does",
        arguments: StorageKind.allCases)
    func validate(_ kind: StorageKind) async throws {
        try await withUsers(on: kind) { ada, eve in
            try await ada.modify([create("a"), create("child", link("a", .deleteSelf))], zone: nil)
            try await eve.modify(
                [create("e", link("a", .validate)), create("f", link("child", .validate))], zone: nil)
            try await ada.save("own", link("a", .validate), zone: nil)
            let kept = try await ada.modify([operation(.forceDelete, "a")], zone: nil)
            #expect(kept[0].error?.code == .validatingReferenceError && kept[0].error?.reason.contains("'own'") == true)
            try await ada.save(.forceDelete, "own", zone: nil)
            #expect(try await ada.modify([operation(.forceDelete, "a")], zone: nil)[0].error == nil)
            #expect(try await eve.lookup(["a", "child"], zone: nil).allSatisfy { $0.error?.code == .notFound })
            #expect(try await eve.lookup(["e", "f"], zone: nil).allSatisfy { $0.error == nil })
        }
    }

    @Test("the 750 with DELETE_SELF are counted for each user", arguments: StorageKind.allCases)
    func families(_ kind: StorageKind) async throws {
        try await withUsers(on: kind) { ada, eve in
            try await ada.save("a", zone: nil)
            let most = ZonePlan.largestFamily
            let full = try await eve.modify((0..<most).map { create("e\($0)", link("a", .deleteSelf)) }, zone: nil)
            #expect(full.allSatisfy { $0.error == nil })
            let more = try await eve.modify([create("more", link("a", .deleteSelf))], zone: nil)[0].error
            #expect(more?.isLimitExceeded == true && more?.reason.contains("of user '_eve'") == true)
            #expect(try await ada.modify([create("own", link("a", .deleteSelf))], zone: nil)[0].error == nil)
            #expect(try await ada.modify([operation(.forceDelete, "a")], zone: nil)[0].error == nil)
            #expect(try await eve.lookup(["e0", "own"], zone: nil).allSatisfy { $0.error?.code == .notFound })
        }
    }
}
