import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport

@testable import BackstitchServer

/// A server whose callers are the accounts of its storage.
struct AccountServer: Sendable {
    let client: TestClient
    let server: ZoneServer
    let service: ZoneService

    init(_ client: TestClient, _ server: ZoneServer) throws {
        self.client = client
        self.server = server
        guard let service = server.state.withLock({ $0.service }) else { throw TestFailure("the server does not run") }
        self.service = service
    }

    func ask<Request: AdministrationRequest>(_ request: Request) async throws -> Request.Answer {
        try await request.answer(service.accounts.identities)
    }

    /// A new account with a token.
    func user(_ alias: String, _ change: (inout AddToken) -> Void = { _ in }) async throws -> (
        name: String, token: MadeToken
    ) {
        let account = try await ask(AddUser(alias: alias))
        return (account.recordName, try await token(alias, change))
    }

    /// A token of an account.
    func token(_ alias: String, _ change: (inout AddToken) -> Void = { _ in }) async throws -> MadeToken {
        var request = AddToken(.user, user: alias)
        change(&request)
        return try await ask(request)
    }

    func with(_ secret: String) -> TestClient {
        var copy = client
        copy.bearer = secret
        return copy
    }
}

/// Runs a server with accounts on a place.
func withAccounts<Value>(
    at place: ZoneServerConfiguration.Storage, _ change: (inout ZoneServerConfiguration) -> Void = { _ in },
    _ body: (AccountServer) async throws -> Value
) async throws -> Value {
    try await withServer({
        $0.storage = place
        $0.usesAccounts = true
        $0.failedAttemptsPerMinute = 1_000
        change(&$0)
    }) { client, server in try await body(AccountServer(client, server)) }
}

/// Runs a server with accounts on a new storage.
func withAccounts<Value>(
    on kind: StorageKind, _ change: (inout ZoneServerConfiguration) -> Void = { _ in },
    _ body: (AccountServer) async throws -> Value
) async throws -> Value {
    try await kind.withPlace { place in try await withAccounts(at: place, change, body) }
}
