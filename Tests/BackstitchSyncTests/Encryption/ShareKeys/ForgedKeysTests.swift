import Backstitch
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("a record of keys that is not the owner's", .timeLimit(.minutes(3)))
struct ForgedKeysTests {
    /// A forged record in place of a zone's keys.
    enum Forgery: String, CaseIterable, Sendable {
        case nothing, noBytes, huge, replayed, ofAnotherZone, ofAGuest, cut
    }

    @Test("is told, changes nothing on any device, and the owner's device puts it right", arguments: Forgery.allCases)
    func forgery(_ forgery: Forgery) async throws {
        try await SharedVaults.run { vaults in
            let (alice, bob, carol, secret) = try await vaults.club()
            let first = try await alice.keysDocument()
            // A second generation, with another key.
            try await carol.sync.sharing.leave(zoneNamed: SharedVaults.name)
            try await vaults.lists.scenario.sync(alice, bob, alice)
            let good = try await alice.keysDocument()
            #expect(good.key != first.key)
            let bytes: Data? =
                switch forgery {
                case .nothing: nil
                case .noBytes: Data("no document".utf8)
                case .huge: Data(repeating: 0x20, count: 600_000)
                case .replayed: try first.bytes
                case .cut: try good.bytes.dropLast(20)
                case .ofAnotherZone:
                    try ZoneKeys(
                        generation: 9, current: ZoneKeys.newKey(), former: [],
                        sealer: vaults.identity("alice").publicKey,
                        recipients: [.init(user: "_bob", key: vaults.identity("bob").publicKey)]
                    ).sealed(
                        by: vaults.identity("alice"),
                        at: ZoneKeysPlace(
                            container: "iCloud.backstitch", environment: "development", owner: "_alice",
                            zone: "Backstitch.Other")
                    ).bytes
                case .ofAGuest:
                    try ZoneKeys(
                        generation: 9, current: ZoneKeys.newKey(), former: [], sealer: vaults.identity("bob").publicKey,
                        recipients: ["alice", "bob"].map { .init(user: "_\($0)", key: vaults.identity($0).publicKey) }
                    ).sealed(by: vaults.identity("bob"), at: SharedVaults.place).bytes
                }
            try await bob.forgeKeys(bytes, SharedVaults.name)
            try await bob.set(secret, ["text": "of Bob"])
            try await bob.sync.sync()
            let fault = try await bob.keyProblem(SharedVaults.name)
            if forgery == .nothing {
                #expect(fault == nil)
            } else {
                #expect(fault?.contains("is not accepted") == true, "\(fault ?? "no fault")")
            }
            // The keys that are here are those from before.
            #expect(try await bob.sealedUnder(secret, zone: SharedVaults.name) == good.key)
            try await alice.sync.sync()
            #expect(try await alice.values("text", of: "Secret") == ["of Bob"])
            let mended = try await alice.keysDocument()
            #expect(mended.key == good.key && mended.generation > good.generation)
            #expect(mended.recipients.map(\.user) == ["_alice", "_bob"])
            try await bob.sync.sync()
            for device in [alice, bob] {
                #expect(try await device.sync.encryption.status().zoneProblems == [:])
                #expect(try await device.sync.blocked.parkedRecords().isEmpty)
                #expect(try await device.sync.sync().sent == 0)
            }
            #expect(try await alice.keysDocument() == mended)
            // A device that comes now reads all of it.
            let tablet = try vaults.guest("bob")
            let share = try #require(try await alice.sync.sharing.shares().first)
            try await tablet.sync.sharing.accept(at: share.url)
            try await tablet.sync.sync()
            #expect(try await tablet.values("text", of: "Secret") == ["of Bob"])
        }
    }
}
