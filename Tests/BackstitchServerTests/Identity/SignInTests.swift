import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Users of a provider sign in.
@Suite struct SignInTests {
    @Test("a user signs in by a token of any safe algorithm, is the same one each time, and has records")
    func signsIn() async throws {
        try await SignInWorld.with { world in
            for (key, kind) in [("p256", "P-256"), ("p384", "P-384"), ("p521", "P-521"), ("ed", "Ed25519")] {
                try await world.provider.make(key, kind)
            }
            var tokens: Set<String> = []
            for (key, algorithm) in [
                ("rsa", "RS256"), ("rsa", "RS384"), ("rsa", "RS512"), ("rsa", "PS256"), ("rsa", "PS384"),
                ("rsa", "PS512"), ("p256", "ES256"), ("p384", "ES384"), ("p521", "ES512"), ("ed", "EdDSA"),
            ] {
                let answer = try await world.signIn(key: key, algorithm)
                #expect(answer.userRecordName == "_user-0", "\(algorithm)")
                tokens.insert(answer.ckWebAuthToken)
            }
            #expect(tokens.count == 10)
            #expect(try await world.provider.count(OIDCProvider.keys) == 1)
            #expect(try await world.signIn(["sub": "bob"]).userRecordName != "_user-0")

            var ada = world.client
            ada.bearer = tokens.first
            try await ada.makeZone()
            try await ada.save("A", ["title": .string("hers")])
            #expect(try await ada.lookup(["A"])[0].record().fields["title"] == .string("hers"))
            let me: UsersResponse = try await ada.on("public").call(.usersCaller)
            #expect(me.users.first?.userRecordName == "_user-0")
        }
    }

    @Test(
        "a provider's user has an account of the storage, with what the user stores in it, also after a restart",
        arguments: StorageKind.allCases)
    func accounts(_ kind: StorageKind) async throws {
        try await OIDCProvider.with { provider in
            try await kind.withPlace { place in
                let clock = VirtualClock()
                let claims =
                    ["given_name": "Ada", "email": "ada@example.org", "email_verified": true] as [String: Any?]
                let first = try await SignInWorld.with(place, provider, clock, { $0.signInAccounts = nil }) { world in
                    let answer = try await world.signIn(claims)
                    var ada = world.client
                    ada.bearer = answer.ckWebAuthToken
                    try await ada.makeZone()
                    try await ada.save("A", ["title": .string("hers")])
                    var bob = world.client
                    bob.bearer = try await world.signIn(["sub": "bob"]).ckWebAuthToken
                    #expect(try await bob.lookup(["A"])[0].error?.code == .zoneNotFound)
                    return answer
                }
                try await SignInWorld.with(place, provider, clock, { $0.signInAccounts = nil }) { world in
                    let again = try await world.signIn()
                    #expect(again.userRecordName == first.userRecordName)
                    for token in [first.ckWebAuthToken, again.ckWebAuthToken] {
                        var ada = world.client
                        ada.bearer = token
                        #expect(try await ada.lookup(["A"])[0].record().fields["title"] == .string("hers"))
                        let me: UsersResponse = try await ada.on("public").call(.usersCaller)
                        #expect(me.users.first?.nameComponents.givenName == "Ada")
                    }
                    clock.advance(by: 15 * 86_400_000)
                    var late = world.client
                    late.bearer = first.ckWebAuthToken
                    await expectFailure(.authenticationRequired) { try await late.page() }
                }
            }
        }
    }

    @Test("the account gets the user's name, and an address only when the provider has verified it")
    func claims() async throws {
        try await SignInWorld.with({ $0.signInLifetime = 1_800 }) { world in
            let named: [String: Any?] = ["given_name": "Ada", "family_name": "Lovelace", "email": "ada@example.org"]
            for verified in [nil, false, true, "true", "false", 1] as [Any?] {
                _ = try await world.signIn(named.merging(["email_verified": verified]) { $1 })
            }
            _ = try await world.signIn(["name": "Ada Lovelace", "email": 5, "given_name": "A\u{0}", "nickname": ["x"]])
            let asked = world.accounts.asked
            #expect(asked.map(\.emailAddress) == [nil, nil, "ada@example.org", "ada@example.org", nil, nil, nil])
            #expect(asked[0].nameComponents == UserNameComponents(givenName: "Ada", familyName: "Lovelace"))
            var nickname = UserNameComponents()
            nickname.nickname = "Ada Lovelace"
            #expect(asked[6].nameComponents == nickname)
            #expect(
                asked.allSatisfy {
                    $0.issuer == world.provider.issuer && $0.subject == "ada" && $0.lifetime == 1_800
                })
        }
    }

    @Test("clocks may differ by a minute, and several audiences are told apart by azp")
    func leeway() async throws {
        try await SignInWorld.with { world in
            let now = world.seconds
            for changes in [
                ["iat": now + 59], ["exp": now - 59, "iat": now - 3_600], ["nbf": now + 59], ["iat": Double(now) - 0.5],
                ["aud": ["other", SignInWorld.clientID], "azp": "notes-web"],
                ["aud": ["notes-web", SignInWorld.clientID]],
                ["azp": SignInWorld.clientID],
            ] as [[String: Any?]] {
                _ = try await world.signIn(changes)
            }
            // One key for the algorithm needs no name.
            _ = try await world.signIn(try await world.provider.token(world.claims(), kid: nil))
            _ = try await world.signIn(try await world.provider.token(world.claims(["nonce": "n-1"])), nonce: "n-1")
        }
    }

    @Test(
        "a token signs in once, also after a restart; when it has signed in nobody it may come again",
        arguments: StorageKind.allCases)
    func once(_ kind: StorageKind) async throws {
        try await OIDCProvider.with { provider in
            try await kind.withPlace { place in
                let clock = VirtualClock()
                let taken = try await SignInWorld.with(place, provider, clock) { world in
                    let token = try await provider.token(world.claims())
                    world.accounts.fail(WireError(.accessDenied, "the account is closed"))
                    await expectFailure(.accessDenied) { try await world.signIn(token) }
                    world.accounts.fail(nil)
                    _ = try await world.signIn(token)
                    let error = await expectFailure(.authenticationFailed) { try await world.signIn(token) }
                    #expect(error?.reason.contains("used before") == true)
                    let another = try await provider.token(world.claims())
                    let answers = await withTaskGroup(of: Int.self) { group in
                        for _ in 0..<8 { group.addTask { (try? await world.send(another).status) ?? 0 } }
                        return await group.reduce(into: [Int]()) { $0.append($1) }
                    }
                    #expect(answers.count { $0 == 200 } == 1 && answers.count { $0 == 401 } == 7, "\(answers)")
                    return token
                }
                try await SignInWorld.with(place, provider, clock) { world in
                    await expectFailure(.authenticationFailed) { try await world.signIn(taken) }
                    let service = try #require(world.server.state.withLock { $0.service })
                    func removed(before time: Int64) async throws -> Int {
                        try await service.context.storage.write {
                            try $0.removeSignInTokens(endedBefore: time, limit: 1)
                        }
                    }
                    #expect(try await removed(before: clock.milliseconds()) == 0)
                    clock.advance(by: 3_600_000 + 300_000)
                    #expect(try await removed(before: clock.milliseconds()) == 1)
                    try await world.server.cleanUp()
                    #expect(try await removed(before: .max) == 0)
                }
            }
        }
    }
}
