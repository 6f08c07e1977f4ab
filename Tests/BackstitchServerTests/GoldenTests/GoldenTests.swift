import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// A request and an answer of each endpoint and each error, as files: every change to a byte of the wire shows there.
///
/// `UPDATE_GOLDEN=1 make test FILTER=GoldenTests` writes the files anew.
@Suite("golden requests and answers") struct GoldenTests {
    @Test("each endpoint and each error answers byte for byte as its file says, on both storages")
    func exchanges() async throws {
        let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"
        if isUpdating {
            for file in try GoldenRun.files() {
                try FileManager.default.removeItem(at: GoldenRun.folder.appending(path: file))
            }
        }
        for kind in StorageKind.allCases {
            // The other storage must say the same as the one that has written.
            let run = try await run(on: kind, writes: isUpdating && kind == .directory)
            let files = Set(run.names.map(GoldenRun.path))
            #expect(try GoldenRun.files() == files, "files without an exchange, or exchanges without a file")
            for route in ServerRoute.allCases {
                #expect(run.statuses[route]?.contains(200) == true, "no golden answer of \(route.name)")
            }
            let all = run.codes.whole.union(run.codes.items)
            for code in WireErrorCode.allCases {
                #expect(all.contains(code.rawValue), "no golden answer has \(code.rawValue)")
                if !Self.ofItems.contains(code) {
                    #expect(run.codes.whole.contains(code.rawValue), "no golden answer is \(code.rawValue) as a whole")
                }
            }
        }
    }

    /// Codes that are those of one item, never of a whole request.
    private static let ofItems: Set<WireErrorCode> = [.atomicError, .exists, .validatingReferenceError]

    private func run(on kind: StorageKind, writes: Bool) async throws -> GoldenRun {
        let clock = VirtualClock(), random = GoldenRandom(), fault = Locked<FaultInjector.Fault?>(nil)
        let run = try await withServer(
            on: kind,
            {
                $0.clock = clock
                $0.random = random
                $0.publicURL = URL(string: GoldenRun.publicURL)
                $0.signInURL = URL(string: "https://example.org/sign-in")
                $0.containers = .declared(["iCloud.golden"])
                $0.apiTokens = [TokenDigest(of: strong("api"))]
                $0.users = Self.users
                $0.userQuotas.zones = 4
                $0.userQuotas.records = 40
                $0.peerInterval = 3_600
                $0.faults = FaultInjector { _ in fault.withLock { $0 } }
            }
        ) { client, server in
            let service = try #require(server.state.withLock { $0.service })
            let run = GoldenRun(client, clock, random, writes: writes) { await service.context.push.stage.settle() }
            try await run.zones()
            try await run.records()
            try await run.queries()
            try await run.assets()
            try await run.partialUploads()
            try await run.subscriptions()
            try await run.people()
            try await run.sharing()
            try await run.refusals()
            for (value, name) in [
                (FaultInjector.Fault.throttled(retryAfter: 7), "throttled"), (.unavailable(retryAfter: 5), "busy"),
            ] {
                fault.withLock { $0 = value }
                try await run.wire(.zonesList, name)
            }
            fault.withLock { $0 = nil }
            try await breakRecord(server)
            try await run.wire(.recordsLookup, "failed", GoldenRun.looking(for: ["broken"], keys: ["title"]))
            return run
        }
        try await signIn(run, on: kind, clock, random)
        return run
    }

    /// Signs a user in at a server that has a provider.
    private func signIn(
        _ run: GoldenRun, on kind: StorageKind, _ clock: VirtualClock, _ random: GoldenRandom
    ) async throws {
        try await OIDCProvider.with { provider in
            try await withServer(
                on: kind,
                {
                    $0.clock = clock
                    $0.random = random
                    $0.containers = .declared(["iCloud.golden"])
                    $0.signInProviders = [SignInProvider(issuer: provider.issuer, clientIDs: ["notes"])]
                }
            ) { client, _ in
                run.client = client
                let now = clock.milliseconds() / 1_000
                let token = try await provider.token([
                    "iss": provider.issuer, "aud": "notes", "sub": "ada", "iat": now, "exp": now + 600,
                ])
                let request = #"{"idToken":"\#(token)"}"#
                try await run.address(.signIn, "good", "/auth/oidc", method: .POST, request, changing: token)
                try await run.address(.signIn, "again", "/auth/oidc", method: .POST, request, changing: token)
            }
        }
    }

    private static var users: [ZoneServerConfiguration.User] {
        var alice = ZoneServerConfiguration.User(userRecordName: "_alice", webAuthToken: strong("alice"))
        alice.nameComponents = UserNameComponents(givenName: "Alice", familyName: "Liddell")
        alice.emailAddress = "alice@example.org"
        var bob = ZoneServerConfiguration.User(userRecordName: "_bob", webAuthToken: strong("bob"))
        bob.nameComponents = UserNameComponents(givenName: "Bob")
        bob.emailAddress = "bob@example.org"
        bob.isDiscoverable = true
        return [alice, bob, .init(userRecordName: "_alice", webAuthToken: strong("reader"), isReadOnly: true)]
    }

    /// Has the storage hold a record whose fields are no JSON, as a broken disk might.
    private func breakRecord(_ server: ZoneServer) async throws {
        let service = try #require(server.state.withLock { $0.service })
        try await service.context.storage.write { writing in
            try writing.execute("UPDATE record SET fields = \(Array("{".utf8)) WHERE name = 'broken'")
        }
    }
}
