import Backstitch
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("signing in at a provider") struct AccountSignInTests {
    private static let issuer = "https://id.example.org"

    private func signIn(
        _ accounts: AccountServer, _ subject: String, issuer: String = AccountSignInTests.issuer, email: String? = nil,
        _ components: UserNameComponents? = nil
    ) async throws -> (userRecordName: String, webAuthToken: String) {
        try await accounts.service.accounts.identities.signIn(
            issuer: issuer, subject: subject, emailAddress: email, nameComponents: components ?? UserNameComponents(),
            lifetime: .seconds(14 * 86_400))
    }

    @Test("makes an account the first time, and finds it by issuer and subject later", arguments: StorageKind.allCases)
    func bound(_ kind: StorageKind) async throws {
        try await withAccounts(on: kind) { accounts in
            let name = UserNameComponents(givenName: "Ada", familyName: "Lovelace")
            let first = try await signIn(accounts, "1", email: "ada@example.org", name)
            #expect(first.userRecordName.wholeMatch(of: /_[0-9a-f]{32}/) != nil)
            try await accounts.with(first.webAuthToken).makeZone()
            let again = try await signIn(accounts, "1")
            #expect(again.userRecordName == first.userRecordName && again.webAuthToken != first.webAuthToken)
            #expect(try await accounts.with(again.webAuthToken).page().records.isEmpty)
            let current = try await accounts.with(again.webAuthToken).raw(.usersCurrent, "{}").text
            #expect(current.contains(#""firstName":"Ada""#))

            // An e-mail address does not link accounts, and no account takes another's address.
            let other = try await signIn(accounts, "2", email: "ADA@example.org")
            let provider = "https://other.example.org"
            let elsewhere = try await signIn(accounts, "1", issuer: provider, email: "ada@example.org")
            #expect(Set([first, other, elsewhere].map(\.userRecordName)).count == 3)
            let lines = try await accounts.ask(ListUsers()).lines
            #expect(lines.compactMap(\.emailAddress) == ["ada@example.org"])

            _ = try await accounts.ask(RemoveUser(user: first.userRecordName))
            _ = await expectFailure(.authenticationRequired) { try await accounts.with(again.webAuthToken).page() }
            #expect(try await signIn(accounts, "1").userRecordName != first.userRecordName)
        }
    }

    @Test("of many who come at once with one subject one makes the account", arguments: StorageKind.allCases)
    func atOnce(_ kind: StorageKind) async throws {
        try await withAccounts(on: kind) { accounts in
            let names = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<16 {
                    group.addTask { try await signIn(accounts, "1", email: "ada@example.org").userRecordName }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(names.count == 1)
            #expect(try await accounts.ask(ListUsers()).lines.count == 1)
            #expect(try await accounts.ask(ListTokens(.user)).lines.count == 16)
        }
    }

    @Test("a user has so many tokens, and the oldest ones end", arguments: StorageKind.allCases)
    func many(_ kind: StorageKind) async throws {
        let clock = VirtualClock()
        try await withAccounts(on: kind, { $0.clock = clock }) { accounts in
            let first = try await signIn(accounts, "1")
            try await accounts.with(first.webAuthToken).makeZone()
            for _ in 0..<IdentityLimits.tokens {
                clock.advance(by: 1)
                _ = try await signIn(accounts, "1")
            }
            _ = await expectFailure(.authenticationRequired) { try await accounts.with(first.webAuthToken).page() }
            #expect(try await accounts.ask(ListTokens(.user)).lines.count == IdentityLimits.tokens)
        }
    }

    @Test("what is no provider's user is refused, and an address that is none is left out")
    func refused() async throws {
        try await withAccounts(on: .directory) { accounts in
            for (issuer, subject) in [("", "1"), (Self.issuer, ""), (Self.issuer, String(repeating: "1", count: 256))] {
                await #expect(throws: IdentityError.self) { try await signIn(accounts, subject, issuer: issuer) }
            }
            await #expect(throws: IdentityError.self) {
                try await accounts.service.accounts.identities.signIn(
                    issuer: Self.issuer, subject: "1", emailAddress: nil, nameComponents: UserNameComponents(),
                    lifetime: .seconds(1))
            }
            #expect(try await accounts.ask(ListUsers()).lines.isEmpty)
            _ = try await signIn(accounts, "1", email: "no address")
            #expect(try await accounts.ask(ListUsers()).lines.map(\.emailAddress) == [nil])
        }
    }
}
