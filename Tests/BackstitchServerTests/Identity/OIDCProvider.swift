import BackstitchServer
import Foundation
import TestSupport

/// An OpenID Connect provider in a process of its own, whose tokens joserfc signs.
struct OIDCProvider: Sendable {
    let process: TestProcess
    let issuer: String

    /// Runs `body` with a provider that has a key `rsa`, and ends it.
    static func with<Value>(_ body: (OIDCProvider) async throws -> Value) async throws -> Value {
        let provider = try await OIDCProvider()
        defer { provider.process.kill() }
        try await provider.make("rsa", "RSA")
        return try await body(provider)
    }

    private init() async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "oidc_provider.py")
        process = try TestProcess(at: URL(filePath: "/usr/bin/env"), [TestProcess.python, script.path])
        guard let line = try await process.nextLine(),
            let said = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String],
            let issuer = said["issuer"]
        else {
            throw TestFailure(
                "tests of sign-in need Python 3 with joserfc; scripts/bootstrap installs it, or: pip install joserfc==1.6.5"
            )
        }
        self.issuer = issuer
    }

    @discardableResult
    func ask(_ command: String...) async throws -> Any? {
        let line = String(decoding: try JSONSerialization.data(withJSONObject: command), as: UTF8.self)
        let answer = try JSONSerialization.jsonObject(with: Data(try await process.ask(line).utf8)) as? [String: Any]
        if let error = answer?["error"] { throw TestFailure("\(command[0]): \(error)") }
        return answer?["value"]
    }

    /// Makes a key, and shows it among the others unless it is hidden.
    func make(_ kid: String, _ kind: String, isShown: Bool = true, _ members: [String: Any] = [:]) async throws {
        let command: [Any] = ["make", kid, kind, isShown, try Self.text(members)]
        let line = try JSONSerialization.data(withJSONObject: command)
        let answer = try await process.ask(String(decoding: line, as: UTF8.self))
        guard !answer.contains("\"error\"") else { throw TestFailure(answer) }
    }

    /// A token with these claims.
    func token(
        _ claims: [String: Any], key: String = "rsa", _ algorithm: String = "RS256", kid: String? = "rsa",
        header changes: [String: Any] = [:]
    ) async throws -> String {
        var header: [String: Any] = ["alg": algorithm, "typ": "JWT"]
        header["kid"] = kid
        header.merge(changes) { $1 }
        let made = try await ask("sign", key, try Self.text(header), try Self.text(claims))
        return made as? String ?? ""
    }

    /// How often a document was asked for.
    func count(_ path: String) async throws -> Int { try await ask("count", path) as? Int ?? -1 }

    static func text(_ object: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
    }

    static let discovery = "/.well-known/openid-configuration"
    static let keys = "/keys"
}
