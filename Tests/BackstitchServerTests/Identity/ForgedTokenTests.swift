import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// ID tokens that are not taken, each with the reason in words.
@Suite struct ForgedTokenTests {
    /// Sends a token, and expects a refusal. Its reason must have these words and no part of the token.
    private func refused(
        _ world: SignInWorld, _ token: String, _ words: String, nonce: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await world.send(token, nonce: nonce)
        let error = try WireError(wireJSON: answer.body)
        #expect(
            answer.status == 401 && error.code == .authenticationFailed, "\(answer.text)",
            sourceLocation: sourceLocation)
        #expect(error.reason.contains(words), "\(error.reason)", sourceLocation: sourceLocation)
        let parts = token.split(separator: ".").filter { $0.utf8.count > 8 }
        #expect(!parts.contains { answer.text.contains($0.prefix(40)) }, sourceLocation: sourceLocation)
        #expect(world.accounts.asked.isEmpty, sourceLocation: sourceLocation)
    }

    @Test("claims that are another's, that are over, or that are missing")
    func claims() async throws {
        try await SignInWorld.with { world in
            let now = world.seconds, provider = world.provider
            let table: [(String, [String: Any?])] = [
                ("not a provider of this server", ["iss": "https://accounts.example.org"]),
                ("not a provider of this server", ["iss": provider.issuer + "/"]),
                ("not a provider of this server", ["iss": provider.issuer.uppercased()]),
                ("another program", ["aud": "other-app"]), ("another program", ["aud": ["a", "b"]]),
                ("another program", ["aud": [String]()]), ("another program", ["azp": "other-app"]),
                ("several programs", ["aud": [SignInWorld.clientID, "other-app"]]),
                ("has expired", ["exp": now - 60]), ("has expired", ["exp": -1]), ("has expired", ["exp": -1e300]),
                ("in the future", ["iat": now + 61]), ("in the future", ["iat": 1e300, "exp": 1e300]),
                ("older than a day", ["iat": now - 86_401]), ("not valid yet", ["nbf": now + 61]),
                ("iss is missing", ["iss": nil]), ("sub is missing", ["sub": nil]), ("aud is missing", ["aud": nil]),
                ("exp is missing", ["exp": nil]), ("iat is missing", ["iat": nil]),
                ("exp is of another type", ["exp": "soon"]), ("aud is of another type", ["aud": 7]),
                ("has a sub", ["sub": ""]), ("has a sub", ["sub": String(repeating: "s", count: 256)]),
            ]
            for (words, changes) in table {
                try await refused(world, try await provider.token(world.claims(changes)), words)
            }
            try await refused(world, try await provider.token(world.claims()), "another nonce", nonce: "n")
            try await refused(
                world, try await provider.token(world.claims(["nonce": "m"])), "another nonce", nonce: "n")
        }
    }

    @Test("signatures that are not the issuer's, and headers that would have them verified otherwise")
    func signatures() async throws {
        try await SignInWorld.with { world in
            let provider = world.provider, claims = world.claims()
            try await provider.make("hidden", "RSA", isShown: false)
            try await provider.make("ec", "P-256")
            try await provider.make("ec2", "P-256", isShown: false)
            let payload = try OIDCProvider.text(claims)
            for name in ["none", "None", "nOnE"] {
                let token = try await provider.ask("unsigned", #"{"alg":"\#(name)"}"#, payload) as? String ?? ""
                try await refused(world, token, "not signed")
            }
            let confused =
                try await provider.ask("confused", "rsa", #"{"alg":"HS256","kid":"rsa"}"#, payload) as? String
            try await refused(world, confused ?? "", "shared secret")
            try await refused(world, try await provider.token(claims, key: "hidden"), "signature that is not")
            try await refused(
                world, try await provider.token(claims, key: "ec2", "ES256", kid: "ec"), "signature that is not")
            try await refused(world, try await provider.token(claims, key: "hidden", kid: "hidden"), "names a key")
            try await refused(world, try await provider.token(claims, kid: "../rsa"), "names a key")
            // A key of another kind under the name that the token says.
            try await refused(world, try await provider.token(claims, key: "ec2", "ES256", kid: "rsa"), "names a key")
            let own: [String: Any] = ["jwk": ["kty": "RSA"], "jku": "https://evil.example/keys"]
            try await refused(
                world, try await provider.token(claims, key: "hidden", kid: "rsa", header: own), "signature that is not"
            )
            try await refused(
                world, try await provider.token(claims, header: ["crit": ["kid"]]), "needs extensions")
            try await refused(
                world, try await provider.token(claims, header: ["typ": "at+jwt"]), "not an ID token by its typ")

            let good = try await provider.token(claims)
            let parts = good.split(separator: ".").map(String.init)
            let other = try await provider.token(world.claims(["sub": "eve"])).split(separator: ".").map(String.init)
            try await refused(world, "\(parts[0]).\(other[1]).\(parts[2])", "signature that is not")
            let short = try #require([UInt8](base64URL: parts[2])).dropLast(4).map(\.self).base64URL
            try await refused(world, "\(parts[0]).\(parts[1]).\(short)", "signature that is not")
            try await refused(
                world, "\(parts[0]).\(parts[1]).\(parts[2].dropLast())", "signature that is not base64url")
            try await refused(world, "\(parts[0]).\(parts[1]).", "signature that is not")
        }
    }

    @Test("a token with any of its characters altered", arguments: [("rsa", "RS256"), ("ec", "ES256")])
    func altered(_ key: String, _ algorithm: String) async throws {
        try await SignInWorld.with { world in
            try await world.provider.make("ec", "P-256")
            let signIn = try #require(world.server.state.withLock { $0.service }?.accounts.signIn)
            let token = try await world.provider.token(world.claims(), key: key, algorithm, kid: key)
            let pending = try signIn.open(SignInRequest(idToken: token))
            let verifiers = try await signIn.verifiers(for: pending)
            let characters = Array(token.utf8)
            for place in characters.indices {
                for other in [characters[place] ^ 1, characters[place] ^ 32] {
                    var altered = characters
                    altered[place] = other
                    await #expect(throws: IDTokenFault.self, "\(place)") {
                        let read = try IDToken(String(decoding: altered, as: UTF8.self))
                        _ = try await signIn.finish(
                            SignIn.Pending(token: read, provider: pending.provider), verifiers, in: world.accounts)
                    }
                }
            }
            _ = try await signIn.finish(pending, verifiers, in: world.accounts)
        }
    }

    @Test("text that is no token, and too much of it")
    func forms() async throws {
        try await SignInWorld.with { world in
            let good = try await world.provider.token(world.claims())
            let parts = good.split(separator: ".").map(String.init)
            let table: [(String, String)] = [
                ("three parts", ""), ("three parts", "x"), ("three parts", parts[0] + "." + parts[1]),
                ("three parts", good + ".x"), ("is encrypted", good + ".x.x"), ("not base64url", good + "="),
                ("not base64url", "\(parts[0]).\(parts[1]) .\(parts[2])"), ("header that cannot be read", "e30.e30.AA"),
                ("header that cannot be read", "AAAA.e30.AA"),
                ("no claims", "\(parts[0]).e30.\(parts[2])"), ("no claims", "\(parts[0]).AAAA.\(parts[2])"),
                ("alg that is not known", "\(Array(#"{"alg":"ES257"}"#.utf8).base64URL).e30.AA"),
                ("larger than 16384", "\(parts[0]).\(String(repeating: "A", count: 16_384)).\(parts[2])"),
            ]
            for (words, token) in table { try await refused(world, token, words) }
            let large = try await world.send(String(repeating: "A", count: 40_000))
            #expect(large.status == 400 && large.text.contains("limit exceeded"), "\(large.text)")
            for (body, words) in [
                ("", ""), ("[]", "expected an object"), ("{}", "idToken"), (#"{"idToken":5}"#, "idToken"),
                (#"{"idToken":"a.b.c","nonce":["x"]}"#, "nonce"),
            ] {
                let answer = try await world.client.send(world.client.base + "/auth/oidc", body: Array(body.utf8))
                #expect(answer.status == 400, "\(body): \(answer.text)")
                #expect(words.isEmpty || answer.text.contains(words), "\(body): \(answer.text)")
            }
            let nonce = try await world.send(good, nonce: String(repeating: "n", count: 1_025))
            #expect(nonce.status == 400 && nonce.text.contains("at most 1024"))
            #expect(world.accounts.asked.isEmpty)
            _ = try await world.signIn(good)
        }
    }

    @Test("an algorithm that is not taken from the issuer, though the key is the issuer's")
    func algorithms() async throws {
        try await OIDCProvider.with { provider in
            try await withFolder { folder in
                try await SignInWorld.with(
                    .directory(folder), provider, VirtualClock(),
                    {
                        $0.signInProviders[0].algorithms = [.es256]
                    }
                ) { world in
                    try await provider.make("ec", "P-256")
                    try await refused(
                        world, try await provider.token(world.claims()), "alg RS256, which is not accepted")
                    _ = try await world.signIn(key: "ec", "ES256")
                }
            }
        }
    }

    @Test("an address from which too many come is not listened to, and pages of declared origins may call")
    func limits() async throws {
        try await SignInWorld.with({
            $0.failedAttemptsPerMinute = 3
            $0.allowedOrigins = ["https://app.example"]
        }) { world in
            let address = world.client.base + "/auth/oidc", origin = ("Origin", "https://app.example")
            let asked = try await world.client.send(
                address, method: .OPTIONS, headers: HTTPHeaders([origin, ("Access-Control-Request-Method", "POST")]))
            #expect(asked.status == 204)
            let body = SignInRequest(idToken: try await world.provider.token(world.claims()))
            let answer = try await world.client.send(address, headers: HTTPHeaders([origin]), body: body.wireJSON())
            #expect(answer.status == 200 && answer.headers["Access-Control-Allow-Origin"] == ["https://app.example"])
            #expect(answer.headers["Cache-Control"] == ["no-store"])
            #expect(try await world.client.send(address, method: .GET).status == 400)
            for _ in 0..<3 { await expectFailure(.authenticationFailed) { try await world.signIn("x") } }
            let error = await expectFailure(.throttled) { try await world.signIn("x") }
            #expect(error?.retryAfter ?? 0 > 0)
            // Bad tokens of others behind the same address keep no user out.
            _ = try await world.signIn()
            world.clock.advance(by: 60_000)
            await expectFailure(.authenticationFailed) { try await world.signIn("x") }
            _ = try await world.signIn()
        }
    }

    @Test("a server without providers has no sign-in; providers that make no sense are refused before it starts")
    func configuration() async throws {
        try await withServer { client, _ in
            let answer = try await client.send(client.base + "/auth/oidc", body: Array(#"{"idToken":"a.b.c"}"#.utf8))
            #expect(answer.status == 404 && answer.text.contains("--oidc"))
        }
        func fault(_ providers: [SignInProvider]) -> String {
            var configuration = ZoneServerConfiguration(port: 0, storage: .memory)
            configuration.containers = .any
            configuration.signInProviders = providers
            do { try configuration.validate() } catch { return error.message }
            return ""
        }
        func provider(_ issuer: String, _ clientIDs: Set<String> = ["app"]) -> SignInProvider {
            SignInProvider(issuer: issuer, clientIDs: clientIDs)
        }
        #expect(fault([provider("https://accounts.example.org/realms/a")]) == "")
        #expect(
            fault([provider("http://127.0.0.1:9"), provider("http://[::1]:9"), provider("http://localhost")]) == "")
        for issuer in ["http://accounts.example.org", "http://127.0.0.1.example.org", "http://10.0.0.1"] {
            #expect(fault([provider(issuer)]).contains("https://"), "\(issuer)")
        }
        for issuer in ["", "accounts.example.org", "https://", "ftp://a.org", "https://u:p@a.org", "https://a.org?x=1"]
        {
            #expect(fault([provider(issuer)]).contains("needs the address of its issuer"), "\(issuer)")
        }
        #expect(fault([provider("https://a.org", [])]).contains("client IDs"))
        #expect(
            fault([SignInProvider(issuer: "https://a.org", clientIDs: ["a"], algorithms: [])]).contains("algorithm"))
        #expect(fault([provider("https://a.org"), provider("https://a.org", ["b"])]).contains("are the same"))
    }
}
