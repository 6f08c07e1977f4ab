import Backstitch
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport

@testable import BackstitchServer

/// A server whose users sign in with an identity provider, on a clock that the test moves.
struct SignInWorld: Sendable {
    static let clientID = "notes-app"

    let client: TestClient
    let server: ZoneServer
    let provider: OIDCProvider
    let accounts: TestAccounts
    let clock: VirtualClock

    static func with<Value>(
        on kind: StorageKind = .directory, _ change: @escaping (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (SignInWorld) async throws -> Value
    ) async throws -> Value {
        try await OIDCProvider.with { provider in
            try await kind.withPlace { place in
                try await with(place, provider, VirtualClock(), change, body)
            }
        }
    }

    static func with<Value>(
        _ place: ZoneServerConfiguration.Storage, _ provider: OIDCProvider, _ clock: VirtualClock,
        _ change: (inout ZoneServerConfiguration) -> Void = { _ in }, _ body: (SignInWorld) async throws -> Value
    ) async throws -> Value {
        let accounts = TestAccounts()
        return try await withServer({
            $0.storage = place
            $0.clock = clock
            $0.signInProviders = [SignInProvider(issuer: provider.issuer, clientIDs: [clientID, "notes-web"])]
            $0.signInAccounts = accounts
            $0.failedAttemptsPerMinute = 1_000
            change(&$0)
        }) { client, server in
            accounts.serve(server)
            defer { accounts.serve(nil) }
            return try await body(
                SignInWorld(client: client, server: server, provider: provider, accounts: accounts, clock: clock))
        }
    }

    var seconds: Int { Int(clock.milliseconds() / 1_000) }

    /// Claims of a token that is taken; nil leaves one out.
    func claims(_ changes: [String: Any?] = [:]) -> [String: Any] {
        var claims: [String: Any?] = [
            "iss": provider.issuer, "aud": Self.clientID, "sub": "ada", "iat": seconds, "exp": seconds + 3_600,
            "jti": UUID().uuidString,
        ]
        claims.merge(changes) { $1 }
        return claims.compactMapValues(\.self)
    }

    func send(_ token: String, nonce: String? = nil) async throws -> TestAnswer {
        try await client.send(
            client.base + "/auth/oidc", body: SignInRequest(idToken: token, nonce: nonce).wireJSON())
    }

    func signIn(_ token: String, nonce: String? = nil) async throws -> SignInAnswer {
        let answer = try await send(token, nonce: nonce)
        guard answer.status == 200 else { throw try WireError(wireJSON: answer.body) }
        return try SignInAnswer(wireJSON: answer.body)
    }

    /// Signs in by a new token.
    func signIn(_ changes: [String: Any?] = [:], key: String = "rsa", _ algorithm: String = "RS256") async throws
        -> SignInAnswer
    {
        try await signIn(try await provider.token(claims(changes), key: key, algorithm, kid: key))
    }
}
