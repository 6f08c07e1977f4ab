import Backstitch
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("a token with a lifetime is renewed while it is used") struct TokenRenewalTests {
    private static let day: Int64 = 86_400_000
    private static let path = WireEndpoint.usersCurrent.path(container: "iCloud.test", environment: "development")

    /// Calls with a token, and gives the status and the token that the answer names.
    private func call(_ accounts: AccountServer, _ secret: String) async throws -> (status: Int, next: String?) {
        let answer = try await accounts.with(secret).raw(Self.path, Array("{}".utf8))
        return (answer.status, answer.headers[WireHeader.rotatedToken].first)
    }

    private func withToken(
        on kind: StorageKind, _ change: (inout AddToken) -> Void = { $0.lifetime = 14 * 86_400 },
        _ body: (AccountServer, MadeToken, VirtualClock) async throws -> Void
    ) async throws {
        let clock = VirtualClock()
        try await withAccounts(on: kind, { $0.clock = clock }) { accounts in
            try await body(accounts, try await accounts.user("ada", change).token, clock)
        }
    }

    @Test("in the second half of its life each answer names the same new token", arguments: StorageKind.allCases)
    func renewed(_ kind: StorageKind) async throws {
        try await withToken(on: kind) { accounts, made, clock in
            #expect(try await call(accounts, made.secret) == (200, nil))
            clock.advance(by: 7 * Self.day - 1)
            #expect(try await call(accounts, made.secret) == (200, nil))
            clock.advance(by: 1)
            let answers = try await withThrowingTaskGroup(of: (status: Int, next: String?).self) { group in
                for _ in 0..<8 { group.addTask { try await call(accounts, made.secret) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let next = try #require(answers.first?.next)
            #expect(answers.allSatisfy { $0 == (200, next) })
            #expect(next != made.secret && next.utf8.count >= 43)

            // The token is one to administrators.
            let list = try await accounts.ask(ListTokens(.user, user: "ada")).lines
            #expect(list.map(\.id) == [made.token.id])
            #expect(list[0].expires == Date(timeIntervalSince1970: Double(clock.milliseconds()) / 1000 + 14 * 86_400))

            // The new one is used. The old one ends five minutes later, and names the new one until then.
            #expect(try await call(accounts, next) == (200, nil))
            clock.advance(by: 299_000)
            #expect(try await call(accounts, made.secret) == (200, next))
            clock.advance(by: 1_000)
            // Two weeks on the new one has been renewed in its turn.
            clock.advance(by: 8 * Self.day)
            let third = try await call(accounts, next)
            #expect(third.status == 200 && third.next != nil && third.next != next)
            clock.advance(by: 6 * Self.day)
            #expect(try await call(accounts, try #require(third.next)).status == 200)
        }
    }

    @Test(
        "one that is used again, minutes after the new one was, is a copy: all that were made from it go",
        arguments: StorageKind.allCases)
    func reused(_ kind: StorageKind) async throws {
        try await withToken(on: kind) { accounts, made, clock in
            let other = try await accounts.token("ada").secret
            clock.advance(by: 7 * Self.day)
            let next = try #require(try await call(accounts, made.secret).next)
            #expect(try await call(accounts, next).status == 200)
            clock.advance(by: 7 * Self.day)
            let third = try #require(try await call(accounts, next).next)
            #expect(try await call(accounts, third).status == 200)
            // Ended tokens are removed, but known still.
            clock.advance(by: 2 * Self.day)
            try await CleanUp(accounts.service).run()
            #expect(try await call(accounts, third).status == 200)
            for token in [made.secret, third, next, made.secret] {
                #expect(try await call(accounts, token) == (421, nil))
            }
            #expect(try await call(accounts, other).status == 200)
            #expect(try await accounts.ask(ListTokens(.user, user: "ada")).lines.count == 1)
        }
    }

    @Test(
        "one that ends by itself just when the new one is used may be on its way for five minutes",
        arguments: StorageKind.allCases)
    func endsByItself(_ kind: StorageKind) async throws {
        try await withToken(on: kind) { accounts, made, clock in
            clock.advance(by: 14 * Self.day - 1_000)
            let next = try #require(try await call(accounts, made.secret).next)
            #expect(try await call(accounts, next).status == 200)
            for pause in [1_000, 298_999] {
                clock.advance(by: Int64(pause))
                #expect(try await call(accounts, made.secret).status == 421)
                #expect(try await call(accounts, next).status == 200)
            }
            clock.advance(by: 1)
            for token in [made.secret, next] { #expect(try await call(accounts, token).status == 421) }
        }
    }

    @Test("that a token was replaced is known for ninety days", arguments: StorageKind.allCases)
    func forgotten(_ kind: StorageKind) async throws {
        try await withToken(on: kind, { $0.lifetime = 200 * 86_400 }) { accounts, made, clock in
            clock.advance(by: 100 * Self.day)
            let next = try #require(try await call(accounts, made.secret).next)
            #expect(try await call(accounts, next).status == 200)
            let digest = TokenDigest(of: made.secret)
            clock.advance(by: 90 * Self.day)
            try await CleanUp(accounts.service).run()
            #expect(
                try await accounts.service.context.storage.read { try $0.replacedToken(digest, knownUntil: .max) }
                    == made.token.id)
            clock.advance(by: 1)
            try await CleanUp(accounts.service).run()
            #expect(
                try await accounts.service.context.storage.read { try $0.replacedToken(digest, knownUntil: .max) }
                    == nil)
            #expect(try await call(accounts, made.secret).status == 421)
            #expect(try await call(accounts, next).status == 200)
        }
    }

    @Test("answers that are lost shut nobody out while the token lasts", arguments: StorageKind.allCases)
    func lost(_ kind: StorageKind) async throws {
        try await withToken(on: kind) { accounts, made, clock in
            clock.advance(by: 8 * Self.day)
            let next = try await call(accounts, made.secret).next
            #expect(next != nil)
            for _ in 0..<5 {
                clock.advance(by: Self.day)
                #expect(try await call(accounts, made.secret) == (200, next))
            }
            clock.advance(by: Self.day)
            #expect(try await call(accounts, made.secret) == (421, nil))
            // The new one, from 6 days ago, is good still.
            #expect(try await call(accounts, try #require(next)).status == 200)
        }
    }

    @Test("a token that is taken back takes along the one in its place", arguments: StorageKind.allCases)
    func revoked(_ kind: StorageKind) async throws {
        try await withToken(on: kind) { accounts, made, clock in
            clock.advance(by: 8 * Self.day)
            let next = try #require(try await call(accounts, made.secret).next)
            _ = try await accounts.ask(RevokeToken(.user, id: made.token.id))
            #expect(try await call(accounts, made.secret) == (421, nil))
            #expect(try await call(accounts, next) == (421, nil))
        }
    }

    @Test("a token without a lifetime is not renewed, nor is one with an end", arguments: [true, false])
    func kept(_ hasEnd: Bool) async throws {
        let far = Date(timeIntervalSince1970: Double(VirtualClock().milliseconds()) / 1000 + 100 * 86_400)
        try await withToken(on: .directory, { $0.expires = hasEnd ? far : nil }) { accounts, made, clock in
            clock.advance(by: 99 * Self.day)
            let early = try await call(accounts, made.secret)
            #expect(early.0 == 200 && early.1 == nil)
            clock.advance(by: 2 * Self.day)
            let late = try await call(accounts, made.secret)
            #expect(late.0 == (hasEnd ? 421 : 200) && late.1 == nil)
        }
    }

    @Test("one that only reads stays so, and the token in its place is of the same user")
    func reader() async throws {
        try await withToken(on: .directory) {
            $0.lifetime = 86_400
            $0.isReadOnly = true
        } _: { accounts, made, clock in
            clock.advance(by: Self.day / 2)
            let next = try #require(try await call(accounts, made.secret).next)
            let reader = accounts.with(next)
            let identity: UserIdentity = try await reader.call(.usersCurrent)
            #expect(identity.userRecordName == made.token.user)
            await #expect(throws: TestFailure.self) { try await reader.makeZone() }
        }
    }

    @Test("the table has no secret, and no new token can be made from what it has")
    func digests() async throws {
        try await withToken(on: .directory) { accounts, made, clock in
            clock.advance(by: 8 * Self.day)
            let next = try #require(try await call(accounts, made.secret).next)
            let digest = TokenDigest(of: made.secret)
            let row = try await accounts.service.context.storage.read { try $0.credential(digest) }
            #expect(row?.digest == digest)
            let signer = accounts.service.context.signer
            #expect(TokenRenewal.next(after: made.secret, signer) == next)
            #expect(TokenRenewal.next(after: digest.sha256, signer) != next)
            guard case .directory(let folder) = accounts.server.configuration.storage else {
                throw TestFailure("no folder")
            }
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where name.contains("sqlite") {
                let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
                for secret in [made.secret, next] { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
            }
        }
    }
}
