import Backstitch
import CloudWire
import TestSupport
import Testing

@testable import BackstitchSync

/// The owner moves a secret out of a shared zone, while the zone gets a new key because a guest is removed. A guest
/// encrypts the records anew before the owner's devices go on. No write of sync decides about the move.
@Suite("moves out of a shared zone, while its key changes", .timeLimit(.minutes(5)))
struct MoveOutOfShareTests {
    /// The fate of the mover's request.
    enum Request: Sendable, Hashable {
        case answered
        /// The first push of the mover, or the second one, has no answer. One of them is the move.
        case withoutAnswer(Int)
        case unsent, unsentForGood

        static let all: [Self] = [.answered, .withoutAnswer(0), .withoutAnswer(1), .unsent, .unsentForGood]
    }

    /// The removal of a guest, before or after the move.
    enum Removal: String, CaseIterable, Sendable { case before, after }

    struct Row: Sendable, CustomTestStringConvertible {
        let request: Request, removal: Removal, policy: ConflictResolutionPolicy, isNew: Bool, isEdited: Bool

        var testDescription: String {
            "\(request), removal \(removal), \(policy)\(isNew ? ", just made" : "")\(isEdited ? ", edited by a guest" : "")"
        }

        static let all = Request.all.flatMap { request in
            Removal.allCases.flatMap { removal in
                [ConflictResolutionPolicy.serverWins, .clientWins].flatMap { policy in
                    [(false, false), (true, false), (false, true)].map {
                        Row(request: request, removal: removal, policy: policy, isNew: $0, isEdited: $1)
                    }
                }
            }
        }
    }

    @Test("the object is where its owner has moved it, once, with its values", arguments: Row.all)
    func moves(_ row: Row) async throws {
        try await SharedVaults.run { vaults in
            let s = vaults.lists.scenario
            let options: [StoreOption: any Sendable] = [.syncConflictResolutionPolicy: row.policy.rawValue]
            let (alice, bob, _, secret) = try await vaults.club(options)
            try await alice.sync.zones.create(named: "Other")
            let mover = try vaults.own("alice", options)
            try await s.sync(alice, mover)
            let moved = row.isNew ? try await mover.addSecret("hidden", inZone: "Club") : secret
            if row.isNew { try await mover.sync.sync() }
            if row.isEdited { try await bob.set(moved, ["text": "of bob"]) }
            if row.removal == .before { try await vaults.remove("carol", by: alice) }
            try await move(moved, by: mover, row.request, s)
            let isTaken = try await alice.client().records(named: [moved.key.uuidString], fields: [])[0] == nil
            if row.removal == .after { try await vaults.remove("carol", by: alice) }
            // The key is written, and the owner's device gets no further.
            try await cut(alice, from: 1, losesAnswer: false, s)
            let summary = try await bob.sync.sync()
            #expect(summary.conflicts.isEmpty && summary.blocked.isEmpty && summary.parked.isEmpty)
            let isReverted = row.isEdited && isTaken
            #expect(summary.reverted.map(\.objectID) == (isReverted ? [moved] : []))
            if row.request != .unsentForGood {
                for _ in 0..<2 { try await s.sync(mover, alice, bob) }
                try await s.expectNothingUnsent(alice, mover, bob)
            } else {
                try await s.sync(alice, bob, alice)
                try await s.expectNothingUnsent(alice, bob)
            }
            let text = row.isEdited && !isTaken ? "of bob" : "hidden"
            let zone = row.request == .unsentForGood ? "Club" : "Other"
            let others = row.isNew ? ["hidden"] : []
            for device in row.request == .unsentForGood ? [alice] : [alice, mover] {
                #expect(try await device.values("text", of: "Secret") == (others + [text]).sorted())
                #expect(try await device.sync.zones.zone(of: moved).name == zone)
                #expect(try await device.sync.encryption.status().recordsToRotate == 0)
            }
            let seen = row.request == .unsentForGood ? others + [text] : others
            #expect(try await bob.values("text", of: "Secret") == seen.sorted())
        }
    }

    private func move(_ id: ObjectID, by mover: SyncDevice, _ request: Request, _ s: Scenario) async throws {
        try await mover.sync.zones.move([id], to: "Other")
        switch request {
        case .answered: try await mover.sync.sync()
        case .withoutAnswer(let number): try await cut(mover, from: number, losesAnswer: true, s)
        case .unsent, .unsentForGood: try await cut(mover, from: 0, losesAnswer: false, s)
        }
    }

    private func cut(_ device: SyncDevice, from number: Int, losesAnswer: Bool, _ s: Scenario) async throws {
        await s.faults.breakDown(from: number, endpoint: "records/modify", losesAnswer: losesAnswer)
        _ = try? await device.sync.sync()
        await s.faults.clear()
    }
}
