import BackstitchSQL
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// The push tokens of users who have gone.
@Suite("push tokens of users who have gone") struct StrangersPushTokenTests {
    private static let users = (0..<120).map { number in
        ZoneServerConfiguration.User(userRecordName: "_u\(number)", webAuthToken: strong("u\(number)"))
    }

    @Test("they go some users at a time, and those of others stay", arguments: StorageKind.allCases)
    func steps(_ kind: StorageKind) async throws {
        try await withServer(on: kind, { $0.users = Self.users }) { client, server in
            for number in Self.users.indices {
                var user = client
                user.bearer = strong("u\(number)")
                let _: PushToken = try await user.call(.tokensCreate, PushToken())
            }
            let accounts = try AccountServer(client, server), service = accounts.service
            func holders() async throws -> [String] {
                try await service.storage.read { reading in
                    guard let transaction = reading as? SQLTransaction else { throw TestFailure("another storage") }
                    return try transaction.all("SELECT \"user\" FROM push_token ORDER BY \"user\"") { $0.text(0) }
                }
            }
            #expect(try await holders().count == 120)
            // A step takes the users that it names, and no others, and none who has a token.
            let kept = try await accounts.ask(AddUser(alias: "ada", recordName: "_u1"))
            _ = try await accounts.token("ada")
            let gone = try await service.storage.write { writing in
                try writing.removePushTokens(ofStrangers: ["_u0", kept.recordName, "_nobody"], at: 1)
            }
            #expect(gone.count == 1)
            #expect(try await holders().count == 119)
            try await server.setTokens(apiTokens: server.configuration.apiTokens, users: Array(Self.users.prefix(1)))
            #expect(try await holders() == ["_u1"])
        }
    }
}
