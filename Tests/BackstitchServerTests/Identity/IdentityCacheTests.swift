import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("what a server remembers of accounts") struct IdentityCacheTests {
    @Test("values that are used stay, others go, and there are never more than the limit")
    func generations() {
        var cache = GenerationalCache<Int, Int>(limit: 100)
        cache.insert(-1, for: -1)
        for number in 0..<10_000 {
            cache.insert(number, for: number)
            #expect(cache.use(-1) == -1)
            #expect(cache.count <= 100)
        }
        #expect(cache.use(0) == nil && cache.use(9_999) == 9_999)
        cache.removeAll { key, _ in key >= 0 }
        #expect(cache.count == 1)
        cache.remove(-1)
        #expect(cache.use(-1) == nil && cache.count == 0)
    }

    @Test("a request of a user who was let in before asks the storage nothing about the user")
    func noStatements() async throws {
        try await withServer({ $0.usesAccounts = true }) { client, server in
            let accounts = try AccountServer(client, server)
            let (_, made) = try await accounts.user("ada") { $0.lifetime = 14 * 86_400 }
            let ada = accounts.with(made.secret)
            let statements = try await StatementCount(server)
            try await ada.makeZone()
            #expect(statements.take("credential") == 1)
            for name in ["a", "b", "c"] { try await ada.save(name) }
            #expect(statements.takeAll().filter { $0.contains("credential") || $0.contains("account") }.isEmpty)
            // Another user's change costs this one nothing.
            _ = try await accounts.user("bob")
            _ = try await accounts.ask(RemoveUser(user: "bob"))
            _ = statements.take()
            try await ada.save("d")
            #expect(statements.take("credential") == 0)
        }
    }

    @Test("more tokens than it remembers are honoured all the same", arguments: StorageKind.allCases)
    func bounded(_ kind: StorageKind) async throws {
        try await kind.withStorage { storage in
            let clock = VirtualClock(), cache = IdentityCache(storage, most: 20)
            let identities = Identities(
                storage: storage, clock: clock, random: SystemServerRandom(), isConfigured: { _ in false }
            ) { _ in
                do { try await cache.refresh(at: clock.milliseconds()) } catch { Issue.record(error) }
            }
            var digests: [TokenDigest] = []
            for number in 0..<50 {
                _ = try await AddUser(alias: "u\(number)").answer(identities)
                digests.append(
                    TokenDigest(of: try await AddToken(.user, user: "u\(number)").answer(identities).secret))
            }
            for _ in 0..<2 {
                for digest in digests { #expect(try await cache.credential(digest) != nil) }
                #expect(cache.count <= 20)
            }
            #expect(try await cache.credential(TokenDigest(of: "another")) == nil)
            // More changes at once than are taken one by one: all is forgotten, and nothing is wrong.
            let last = try #require(try await cache.credential(digests[49]))
            try await storage.write { writing in
                for _ in 0...IdentityLimits.changes { try writing.noteIdentityChange(of: "_other", at: 0) }
            }
            let changes = try await cache.refresh(at: clock.milliseconds())
            #expect(changes?.accounts == nil && cache.count == 0)
            #expect(try await cache.credential(digests[49]) == last)
            // So it is when a server comes back after the changes were forgotten.
            try await storage.write { writing in
                try writing.noteIdentityChange(of: last.account, at: 0)
                while try writing.removeIdentityChanges(before: 1, limit: 500) {}
            }
            #expect(try await cache.refresh(at: clock.milliseconds())?.accounts == nil)
            #expect(cache.count == 0)
            #expect(try await cache.refresh(at: clock.milliseconds()) == nil)
        }
    }

    @Test("tokens that are not known are throttled, and cost one look each until then")
    func throttled() async throws {
        let clock = VirtualClock()
        try await withServer({
            $0.usesAccounts = true
            $0.clock = clock
            $0.failedAttemptsPerMinute = 5
        }) { client, server in
            let accounts = try AccountServer(client, server)
            let (_, made) = try await accounts.user("ada")
            let (_, late) = try await accounts.user("bob")
            try await accounts.with(made.secret).makeZone()
            let statements = try await StatementCount(server)
            for number in 0..<5 {
                _ = await expectFailure(.authenticationRequired) {
                    try await accounts.with("guess \(number)").makeZone()
                }
            }
            #expect(statements.take("FROM credential") == 5)
            _ = await expectFailure(.throttled) { try await accounts.with("guess").makeZone() }
            #expect(statements.take("FROM credential") == 0)
            // A token that this server has not seen yet is accepted nevertheless.
            try await accounts.with(late.secret).makeZone()
            #expect(try await accounts.with(made.secret).page().records.isEmpty)
            // A revoked token that a server made counts for itself.
            _ = try await accounts.ask(RemoveUser(user: "bob"))
            for _ in 0..<5 {
                _ = await expectFailure(.authenticationRequired) { try await accounts.with(late.secret).makeZone() }
            }
            _ = statements.take()
            _ = await expectFailure(.throttled) { try await accounts.with(late.secret).makeZone() }
            #expect(statements.take("FROM credential") == 0)
            clock.advance(by: 61_000)
            for token in ["guess", late.secret] {
                _ = await expectFailure(.authenticationRequired) { try await accounts.with(token).makeZone() }
            }
        }
    }
}
