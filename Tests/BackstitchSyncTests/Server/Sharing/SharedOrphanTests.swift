import Backstitch
import BackstitchSync
import TestSupport
import Testing

/// Objects of a shared zone whose parent is deleted by a device that does not know them. The outcome is the same as in
/// a private zone.
@Suite("objects below what is deleted in a shared zone", .timeLimit(.minutes(3)))
struct SharedOrphanTests {
    /// The guest's change of an object below the folder.
    enum Act: String, CaseIterable, Sendable { case new, edited }

    /// When the folder's deletion meets it.
    enum Order: String, CaseIterable, Sendable { case deletedBefore, deletedWhileSending, sentBefore }

    @Test(
        "a guest's is a conflict that the policy decides, and goes with the folder where it had been sent",
        arguments: ConflictResolutionPolicy.allCases,
        Act.allCases.flatMap { act in Order.allCases.map { (act, $0) } })
    func guests(_ policy: ConflictResolutionPolicy, _ course: (act: Act, order: Order)) async throws {
        try await SharedLists.run { lists in
            let s = lists.scenario
            let (alice, share) = try await lists.club(.bob, .carol)
            let carol = try await lists.joined("carol", share)
            let bob = try lists.guest("bob", nil, [.syncConflictResolutionPolicy: policy.rawValue])
            try await bob.sync.sharing.accept(at: share.url)
            try await bob.sync.sync()
            let note = try await bob.addToFolder("of Bob")
            let folder = try await alice.read { context in
                try #require(try context.fetch(FetchRequest<TestFolder>(where: "name == 'F'")).first).objectID
            }
            if course.act == .edited {
                // Alice's device does not have it when the folder is deleted.
                try await bob.sync.sync()
                try await bob.retitle(note, "edited by Bob")
            }
            var conflicts: [SyncConflict] = []
            switch course.order {
            case .deletedBefore:
                try await alice.delete(folder)
                try await alice.sync.sync()
                conflicts = try await bob.sync.sync().conflicts
            case .deletedWhileSending:
                await s.atNextPush {
                    try await alice.delete(folder)
                    try await alice.sync.sync()
                }
                conflicts = try await bob.sync.sync().conflicts + bob.sync.sync().conflicts
            case .sentBefore:
                try await alice.delete(folder)
                try await bob.sync.sync()
                try await alice.sync.sync()
                conflicts = try await bob.sync.sync().conflicts
            }
            let isWeighed = course.order == .deletedBefore
            #expect(conflicts.map(\.objectID) == (isWeighed ? [note] : []))
            #expect(conflicts.allSatisfy { $0.kind == .editedHereDeletedThere })
            #expect(conflicts.allSatisfy { $0.winner == (policy == .serverWins ? .server : .client) })
            for _ in 0..<2 { try await s.sync(alice, bob, carol) }
            let left = isWeighed && policy == .clientWins ? [course.act == .new ? "of Bob" : "edited by Bob"] : []
            for device in [alice, bob, carol] { #expect(try await device.titles() == left) }
            try await s.settle()
            try await s.expectNothingUnsent()
        }
    }
}
