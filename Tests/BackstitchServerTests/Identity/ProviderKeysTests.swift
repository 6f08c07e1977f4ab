import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// The keys of a provider: when they are asked for, and for how long they go on.
@Suite struct ProviderKeysTests {
    @Test("keys are asked for once, for as long as the provider says, and by one request when many need them")
    func kept() async throws {
        try await SignInWorld.with { world in
            let provider = world.provider
            try await provider.ask("headers", #"{"Cache-Control":"public, max-age=7200","Age":"100"}"#)
            let tokens = try await (0..<16).asyncMap { _ in try await provider.token(world.claims()) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for token in tokens { group.addTask { _ = try await world.signIn(token) } }
                try await group.waitForAll()
            }
            #expect(try await provider.count(OIDCProvider.keys) == 1)
            #expect(try await provider.count(OIDCProvider.discovery) == 1)
            world.clock.advance(by: 7_099_000)
            _ = try await world.signIn()
            #expect(try await provider.count(OIDCProvider.keys) == 1)
            world.clock.advance(by: 1_000)
            _ = try await world.signIn()
            #expect(try await provider.count(OIDCProvider.keys) == 2)
        }
    }

    @Test("a new key is found when a token names it, and names that anybody makes up make one request a minute")
    func rotated() async throws {
        try await SignInWorld.with { world in
            let provider = world.provider
            _ = try await world.signIn()
            try await provider.make("next", "P-256")
            // The keys were read less than a minute ago.
            await expectFailure(.authenticationFailed) { try await world.signIn(key: "next", "ES256") }
            #expect(try await provider.count(OIDCProvider.keys) == 1)
            world.clock.advance(by: 60_000)
            _ = try await world.signIn(key: "next", "ES256")
            #expect(try await provider.count(OIDCProvider.keys) == 2)

            try await provider.ask("hide")
            try await provider.ask("show", "next")
            world.clock.advance(by: 60_000)
            for number in 0..<10 {
                let token = try await provider.token(world.claims(), kid: "unknown-\(number)")
                await expectFailure(.authenticationFailed) { try await world.signIn(token) }
            }
            #expect(try await provider.count(OIDCProvider.keys) == 3)
            // The old one has gone with that.
            await expectFailure(.authenticationFailed) { try await world.signIn() }
            _ = try await world.signIn(key: "next", "ES256")
        }
    }

    @Test("while the provider does not answer its old keys go on, for a day, and it is asked every five seconds")
    func outage() async throws {
        try await SignInWorld.with { world in
            let provider = world.provider
            _ = try await world.signIn()
            try await provider.ask("override", OIDCProvider.keys, "503", "")
            world.clock.advance(by: 3_600_000)
            for _ in 0..<3 { _ = try await world.signIn() }
            #expect(try await provider.count(OIDCProvider.keys) == 2)
            world.clock.advance(by: 5_000)
            _ = try await world.signIn()
            #expect(try await provider.count(OIDCProvider.keys) == 3)
            world.clock.advance(by: 86_400_000)
            let error = await expectFailure(.tryAgainLater) { try await world.signIn() }
            #expect(error?.reason.contains("status 503") == true && error?.retryAfter != nil)
            try await provider.ask("restore")
            world.clock.advance(by: 5_000)
            _ = try await world.signIn()
        }
    }

    @Test("documents that are elsewhere, another's, too large or none are not taken, and the caller hears why")
    func documents() async throws {
        try await SignInWorld.with { world in
            let provider = world.provider, discovery = OIDCProvider.discovery, keys = OIDCProvider.keys
            let elsewhere = try OIDCProvider.text(["Location": "\(provider.issuer)/keys"])
            let large = #"{"keys":["# + String(repeating: " ", count: 300 << 10) + "]}"
            func metadata(_ changes: [String: Any]) throws -> String { try OIDCProvider.text(changes) }
            let table: [(words: String, command: [String])] = [
                ("redirects are not followed", ["override", discovery, "302", "", elsewhere]),
                ("redirects are not followed", ["override", keys, "307", "", elsewhere]),
                ("status 404", ["override", discovery, "404", "no"]),
                ("has no issuer", ["override", discovery, "200", "<html>"]),
                ("has no issuer", ["override", discovery, "200", "{}"]),
                ("another issuer", ["metadata", try metadata(["issuer": "https://accounts.example.org"])]),
                ("another issuer", ["metadata", try metadata(["issuer": provider.issuer + "/"])]),
                ("not an address of https", ["metadata", try metadata(["jwks_uri": "http://keys.example.org/"])]),
                ("not an address of https", ["metadata", try metadata(["jwks_uri": "file:///etc/passwd"])]),
                ("not an address of https", ["metadata", try metadata(["jwks_uri": "http://169.254.169.254/"])]),
                ("cannot be reached", ["metadata", try metadata(["jwks_uri": "http://127.0.0.1:1/"])]),
                ("more than", ["override", keys, "200", large]), ("not a JSON", ["override", keys, "200", "[]"]),
                ("no key for an algorithm", ["override", keys, "200", #"{"keys":[]}"#]),
                (
                    "no key for an algorithm",
                    ["override", keys, "200", #"{"keys":[{"kty":"oct","k":"AAAA","kid":"rsa"}]}"#]
                ),
                (
                    "no key for an algorithm",
                    ["override", keys, "200", #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#]
                ),
            ]
            for (words, command) in table {
                let line = try JSONSerialization.data(withJSONObject: command)
                let said = try await provider.process.ask(String(decoding: line, as: UTF8.self))
                #expect(!said.contains("error"), "\(said)")
                let error = await expectFailure(.tryAgainLater) { try await world.signIn() }
                #expect(error?.reason.contains(words) == true, "\(words): \(error?.reason ?? "")")
                try await provider.ask("restore")
                world.clock.advance(by: 5_000)
            }
            _ = try await world.signIn()
        }
    }

    @Test("keys that are of no use here are passed over, and leave the others whole")
    func otherKeys() async throws {
        try await SignInWorld.with { world in
            let provider = world.provider
            for key in [
                #"{"kty":"oct","k":"c2VjcmV0","kid":"secret"}"#,
                #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA","kid":"k1"}"#,
                #"{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA","kid":"nowhere"}"#, #"{"kty":7}"#, #"{"kid":"bare"}"#,
                #"{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"short"}"#,
            ] { try await provider.ask("add", key) }
            try await provider.make("enc", "RSA", ["use": "enc"])
            try await provider.make("bound", "RSA", ["alg": "PS256", "use": "sig"])
            try await provider.make("odd", "RSA", ["alg": "RSA-OAEP-256"])
            _ = try await world.signIn()
            _ = try await world.signIn(key: "bound", "PS256")
            for (key, algorithm) in [("enc", "RS256"), ("bound", "RS256"), ("odd", "RS256")] {
                await expectFailure(.authenticationFailed) { try await world.signIn(key: key, algorithm) }
            }
            // Of several keys for the algorithm one has to be named.
            try await provider.make("second", "RSA")
            world.clock.advance(by: 3_600_000)
            let token = try await provider.token(world.claims(), kid: nil)
            await expectFailure(.authenticationFailed) { try await world.signIn(token) }
        }
    }

    @Test(
        "a document is kept as long as its headers say, within bounds",
        arguments: [
            (["Cache-Control": "max-age=600"], 600), (["cache-control": "public, MAX-AGE=\"600\""], 600),
            (["Cache-Control": "no-store"], 60), (["Cache-Control": "max-age=0"], 60), ([:], 3_600),
            (["Cache-Control": "max-age=9999999999"], 86_400), (["Cache-Control": "max-age=soon"], 60),
            (["Cache-Control": "max-age=600", "Age": "200"], 400),
            (["Cache-Control": "max-age=600", "Age": "-5"], 600),
            (["Cache-Control": "max-age=600", "Age": "9223372036854775807"], 60),
            (["Cache-Control": "max-age=-9223372036854775808", "Age": "1"], 60),
        ] as [([String: String], Int64)])
    func life(_ headers: [String: String], _ seconds: Int64) {
        #expect(DocumentLife(HTTPHeaders(headers.map { ($0.key, $0.value) })).seconds == seconds, "\(headers)")
    }
}

extension Sequence {
    /// The results of an asynchronous function, one after the other.
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var result: [Value] = []
        for element in self { result.append(try await transform(element)) }
        return result
    }
}
