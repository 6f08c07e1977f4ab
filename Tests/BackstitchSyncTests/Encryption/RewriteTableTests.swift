import Backstitch
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// A record that sync writes by itself is no edit. Users' changes have the same outcome as without it, and no conflict
/// is reported.
@Suite("what sync writes by itself, against what users do", .timeLimit(.minutes(5)))
struct RewriteTableTests {
    /// A user's change on a device that does not know of it yet.
    enum Act: String, CaseIterable, Sendable { case edit, editOfEncrypted, delete, undoneDeletion, move }

    /// Which of the two the server hears of first.
    enum Order: String, CaseIterable, Sendable { case rewriteFirst, actFirst }

    struct Row<Rewrite: Sendable>: Sendable, CustomTestStringConvertible {
        let rewrite: Rewrite, act: Act, order: Order, policy: ConflictResolutionPolicy

        var testDescription: String { "\(rewrite), \(act), \(order), \(policy)" }

        static func all(_ rewrites: [Rewrite]) -> [Self] {
            rewrites.flatMap { rewrite in
                Act.allCases.flatMap { act in
                    Order.allCases.flatMap { order in
                        ConflictResolutionPolicy.allCases.map {
                            Self(rewrite: rewrite, act: act, order: order, policy: $0)
                        }
                    }
                }
            }
        }
    }

    // MARK: Private zones

    enum PrivateRewrite: CaseIterable, Sendable { case newKey, newKeyOfLargeValue, newKeyOfUniqueObject }

    @Test("in a private zone", arguments: Row.all(PrivateRewrite.allCases))
    func privateZone(_ row: Row<PrivateRewrite>) async throws {
        try await SharedLists.run { lists in
            let keys = try TestKeys("k1")
            let options: [StoreOption: any Sendable] = [
                .syncEncryptionKeys: keys, .syncConflictResolutionPolicy: row.policy.rawValue,
            ]
            let isUnique = row.rewrite == .newKeyOfUniqueObject
            let model = isUnique ? VaultModel.withUniqueLabels : VaultModel.description
            let desk = try lists.own("alice", model: model, options)
            let late = try lists.own("alice", model: model, options)
            var values: [String: Value] = ["text": "hidden", "label": "plain"]
            if row.rewrite == .newKeyOfLargeValue { values["bytes"] = .data(Data(repeating: 7, count: 1_100_000)) }
            let id = try await desk.addSecret(values)
            try await desk.sync.zones.create(named: "Other")
            try await lists.scenario.settle()
            try await act(row.act, on: id, by: late)
            try keys.rotate(to: "k2", replacing: "k1")
            try await run(row.order, lists.scenario, desk: desk, late: late)
            for _ in 0..<2 { for device in [desk, late] { #expect(try await device.sync.sync().isQuiet) } }
            try await expect(row.act, of: id, on: desk, late)
            try await lists.scenario.settle()
            try await lists.scenario.expectNothingUnsent()
            for device in [desk, late] { #expect(try await device.sync.encryption.status().recordsToRotate == 0) }
        }
    }

    // MARK: Shared zones

    enum SharedRewrite: CaseIterable, Sendable { case removal }

    @Test("in a shared zone", arguments: Row.all(SharedRewrite.allCases))
    func sharedZone(_ row: Row<SharedRewrite>) async throws {
        try await SharedVaults.run { vaults in
            let s = vaults.lists.scenario
            let options: [StoreOption: any Sendable] = [.syncConflictResolutionPolicy: row.policy.rawValue]
            let (alice, bob, _, id) = try await vaults.club(options)
            // Objects are moved by their owner.
            let late = try row.act == .move ? vaults.own("alice", options) : bob
            if row.act == .move {
                try await alice.sync.zones.create(named: "Other")
                try await s.sync(alice, late)
            }
            try await act(row.act, on: id, by: late)
            try await vaults.remove("carol", by: alice)
            try await run(row.order, s, desk: alice, late: late)
            for _ in 0..<2 { for device in [alice, late] { #expect(try await device.sync.sync().isQuiet) } }
            try await expect(row.act, of: id, on: alice, late)
            if row.act != .move { try await s.settle(alice, late) }
            try await s.expectNothingUnsent(alice, late)
            for device in [alice, late] { #expect(try await device.sync.encryption.status().recordsToRotate == 0) }
        }
    }

    @Test(
        "a change without a right to it is taken back once, and nothing else comes of it",
        arguments: Row.all(SharedRewrite.allCases).filter { $0.act != .move && $0.order == .rewriteFirst })
    func rights(_ row: Row<SharedRewrite>) async throws {
        try await SharedVaults.run { vaults in
            let s = vaults.lists.scenario
            let (alice, bob, _, id) = try await vaults.club([.syncConflictResolutionPolicy: row.policy.rawValue])
            try await act(row.act, on: id, by: bob)
            var share = try #require(try await alice.sync.sharing.share(ofZoneNamed: "Club"))
            share.participants = share.participants.map { participant in
                var participant = participant
                if participant.userRecordName == "_bob" { participant.permission = .readOnly }
                return participant
            }
            share.participants.removeAll { $0.userRecordName == "_carol" }
            _ = try await alice.sync.sharing.update(share)
            for _ in 0..<3 { #expect(try await alice.sync.sync().isQuiet) }
            let summary = try await bob.sync.sync()
            #expect(summary.conflicts.isEmpty && summary.blocked.isEmpty && summary.parked.isEmpty)
            #expect(summary.reverted.map(\.objectID) == [id])
            #expect(try await bob.values("text", of: "Secret") == ["hidden"])
            try await s.settle(alice, bob)
            try await s.expectNothingUnsent(alice, bob)
            for device in [alice, bob] { #expect(try await device.sync.encryption.status().recordsToRotate == 0) }
        }
    }

    @Test("on a server that is not ours, a record under another key does not undo a deletion, and an edit does")
    func plainServer() async throws {
        try await PlainWorld.run { world in
            let keys = try TestKeys("k1")
            func device() throws -> SyncDevice {
                try world.device(model: VaultModel.description, [.syncEncryptionKeys: keys])
            }
            let desk = try device(), late = try device()
            let id = try await desk.addSecret(["text": "a"]), other = try await desk.addSecret(["text": "b"])
            try await desk.sync.sync()
            try await late.sync.sync()
            try await late.delete(id, other)
            try keys.rotate(to: "k2", replacing: "k1")
            try await desk.set(other, ["text": "edited"])
            for _ in 0..<2 { try await desk.sync.sync() }
            let summary = try await late.sync.sync()
            #expect(summary.conflicts.map(\.objectID) == [other])
            for device in [late, desk, late] { try await device.sync.sync() }
            for device in [late, desk] { #expect(try await device.values("text", of: "Secret") == ["edited"]) }
        }
    }

    // MARK: A restored server

    /// The things missing in the backup, which a device sends again.
    enum SentAgain: CaseIterable, Sendable { case record, recordOfUniqueObject, edit, editOfUniqueObject }

    @Test(
        "on a server that has gone back to a backup",
        arguments: Row.all(SentAgain.allCases).filter { $0.order == .rewriteFirst })
    func restored(_ row: Row<SentAgain>) async throws {
        let parent = FileManager.default.temporaryDirectory.appending(
            path: "backstitch-rewrite-\(ObjectIDGenerator().next().uuidString)")
        defer { try? FileManager.default.removeItem(at: parent) }
        let host = RestorableServer(parent)
        let url = try await host.start()
        let isUnique = [.recordOfUniqueObject, .editOfUniqueObject].contains(row.rewrite)
        let isEdit = [.edit, .editOfUniqueObject].contains(row.rewrite)
        let keys = try TestKeys("k1")
        func device() throws -> SyncDevice {
            let options: [StoreOption: any Sendable] = [
                .syncServerURL: url.absoluteString, .syncOnSave: false, .syncAutomatically: false,
                .syncRequestTimeout: 5, .syncEncryptionKeys: keys,
                .syncConflictResolutionPolicy: row.policy.rawValue,
            ]
            return try SyncDevice(
                model: isUnique ? VaultModel.withUniqueLabels : VaultModel.description, options: options, url: nil)
        }
        let desk = try device(), late = try device()
        try await desk.sync.zones.create(named: "Other")
        for device in [desk, late] { try await device.sync.sync() }
        if !isEdit { try await host.backUp() }
        let id = try await desk.addSecret(["text": "hidden", "label": isEdit ? "older" : "plain"])
        for device in [desk, late] { try await device.sync.sync() }
        if isEdit {
            try await host.backUp()
            try await desk.set(id, ["label": "plain"])
            for device in [desk, late] { try await device.sync.sync() }
        }
        try await act(row.act, on: id, by: late)
        try await host.restore(noticed: .becauseItIsTold)
        for device in [desk, late, desk, late, desk] { #expect(try await device.sync.sync().isQuiet) }
        try await expect(row.act, of: id, on: desk, late)
        for device in [desk, late] {
            #expect(try await device.sync.status.pendingCount == 0)
            try device.close()
        }
        try await host.stop()
    }

    // MARK: Steps

    private func act(_ act: Act, on id: ObjectID, by device: SyncDevice) async throws {
        switch act {
        case .edit: try await device.set(id, ["label": "mine"])
        case .editOfEncrypted: try await device.set(id, ["text": "mine"])
        case .delete: try await device.delete(id)
        case .move: try await device.sync.zones.move([id], to: "Other")
        case .undoneDeletion:
            try await device.read { context in
                context.undoManager = ContextUndoManager()
                let secret = try context.existingObject(with: id)
                context.delete(secret)
                try context.save()
                context.undo()
                try secret.setValue("mine", forKey: "text")
                try context.save()
            }
        }
    }

    private func run(_ order: Order, _ s: Scenario, desk: SyncDevice, late: SyncDevice) async throws {
        switch order {
        case .rewriteFirst: for _ in 0..<3 { #expect(try await desk.sync.sync().isQuiet) }
        case .actFirst:
            await s.atNextPush {
                let summary = try await late.sync.sync()
                #expect(summary.isQuiet)
            }
            #expect(try await desk.sync.sync().isQuiet)
        }
        #expect(try await late.sync.sync().isQuiet)
    }

    private func expect(_ act: Act, of id: ObjectID, on devices: SyncDevice...) async throws {
        for device in devices {
            let found = try await device.read { context in
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Secret")).map { object in
                    [try object.value(forKey: "text"), try object.value(forKey: "label")]
                }
            }
            switch act {
            case .edit: #expect(found == [["hidden", "mine"]])
            case .editOfEncrypted, .undoneDeletion: #expect(found == [["mine", "plain"]])
            case .delete: #expect(found.isEmpty)
            case .move:
                #expect(found == [["hidden", "plain"]])
                #expect(try await device.sync.zones.zone(of: id).name == "Other")
            }
        }
    }
}

extension SyncSummary {
    /// Whether nothing is to be told but what came and went.
    fileprivate var isQuiet: Bool { conflicts.isEmpty && blocked.isEmpty && reverted.isEmpty && parked.isEmpty }
}
