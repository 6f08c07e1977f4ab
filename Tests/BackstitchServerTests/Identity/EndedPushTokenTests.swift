import BackstitchSQL
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// The push tokens that were made by tokens of the configuration.
@Suite("push tokens end with the tokens of the configuration that made them") struct EndedPushTokenTests {
    private static let users = (0..<120).map { number in
        ZoneServerConfiguration.User(userRecordName: "_u\(number)", webAuthToken: strong("u\(number)"))
    }

    @Test("some users at a time, and those of other tokens stay", arguments: StorageKind.allCases)
    func steps(_ kind: StorageKind) async throws {
        try await withServer(on: kind, { $0.users = Self.users }) { client, server in
            for number in Self.users.indices {
                var user = client
                user.bearer = strong("u\(number)")
                let _: PushToken = try await user.call(.tokensCreate, PushToken())
            }
            let accounts = try AccountServer(client, server), service = accounts.service
            func holders() async throws -> [String] {
                try await service.context.storage.read { reading in
                    try reading.all("SELECT \"user\" FROM push_token ORDER BY \"user\"") { $0.text(0) }
                }
            }
            #expect(try await holders().count == 120)
            // The one of a stored token stays, though the user's other token is taken out of the configuration.
            _ = try await accounts.ask(AddUser(alias: "ada", recordName: "_u1"))
            let stored = accounts.with(try await accounts.token("ada").secret)
            let _: PushToken = try await stored.call(.tokensCreate, PushToken())
            #expect(try await holders().count == 121)
            try await server.setTokens(apiTokens: server.configuration.apiTokens, users: Array(Self.users.prefix(1)))
            #expect(try await holders() == ["_u0", "_u1"])
        }
    }
}
