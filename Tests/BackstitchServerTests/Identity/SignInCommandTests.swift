import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// `serve --oidc`, as a process that an operator has started.
@Suite("the command that serves signs users in") struct SignInCommandTests {
    private static let clientID = "notes-ios"

    private func serve(_ provider: OIDCProvider, _ folder: URL, _ arguments: [String] = []) throws -> ServerProcess {
        try ServerProcess(
            storage: folder, ["--oidc", "\(provider.issuer)=\(Self.clientID),notes-web"] + arguments)
    }

    private func token(_ provider: OIDCProvider, for clientID: String = clientID) async throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        return try await provider.token([
            "iss": provider.issuer, "aud": clientID, "sub": "ada", "iat": now, "exp": now + 600,
            "jti": UUID().uuidString,
        ])
    }

    /// The answer to a token, as text.
    private func signIn(_ token: String, at server: ServerProcess) async throws -> TestAnswer {
        let client = TestClient(base: server.url)
        return try await client.send(
            client.base + "/auth/oidc", body: SignInRequest(idToken: token, nonce: nil).wireJSON())
    }

    @Test("by a provider's token for one of the program's client IDs; the user's token works after a restart")
    func signsIn() async throws {
        try await OIDCProvider.with { provider in
            try await withFolder { folder in
                var server = try serve(provider, folder)
                defer { server.process.stop() }
                let refused = try await signIn(try await token(provider, for: "another"), at: server)
                #expect(refused.status == 401, "\(refused.text)")
                let answer = try await signIn(try await token(provider), at: server)
                #expect(answer.status == 200, "\(answer.text)")
                let user = try SignInAnswer(wireJSON: answer.body)
                server.process.stop()
                server = try serve(provider, folder)
                let client = TestClient(base: server.url).user(user.ckWebAuthToken)
                #expect(try await client.raw(.usersCurrent, "{}").text.contains(user.userRecordName))
            }
        }
    }

    @Test("only by the algorithms that are named")
    func algorithms() async throws {
        try await OIDCProvider.with { provider in
            try await withFolder { folder in
                let server = try serve(provider, folder, ["--oidc-algorithm", "ES256"])
                defer { server.process.stop() }
                let refused = try await signIn(try await token(provider), at: server)
                #expect(refused.status == 401 && refused.text.contains("RS256"), "\(refused.text)")
            }
        }
    }
}
