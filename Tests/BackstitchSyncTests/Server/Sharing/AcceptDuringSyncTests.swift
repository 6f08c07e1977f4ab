import Backstitch
import BackstitchSync
import TestSupport
import Testing

@Suite("a share that is accepted while a sync runs", .timeLimit(.minutes(5)))
struct AcceptDuringSyncTests {
    @Test("is accepted, and the sync ends well, whatever request it waits for", arguments: [false, true])
    func accepted(isFirstSync: Bool) async throws {
        var number = 0
        while try await accepts(at: number, isFirstSync) { number += 1 }
        print("counted: a share is accepted at \(number) requests of a sync")
        #expect(number >= 3)
    }

    /// Accepts a share before the server gets the request of that number of a sync.
    ///
    /// - Returns: Whether the sync has as many requests.
    private func accepts(at number: Int, _ isFirstSync: Bool) async throws -> Bool {
        var isAccepted = false
        try await SharedLists.run { lists in
            let (alice, share) = try await lists.club(everybody: .readWrite)
            try await alice.sync.zones.create(named: "Second")
            _ = try await alice.addFolder("S", inZone: "Second", notes: ["s1"])
            try await alice.sync.sync()
            let second = try await alice.sync.sharing.share(zoneNamed: "Second", publicPermission: .readWrite)
            var bob = try await lists.joined("bob", share)
            if isFirstSync {
                bob = try lists.guest("bob")
            } else {
                try await bob.addToFolder("of Bob")
            }
            _ = try await alice.addToFolder("n3")
            try await alice.sync.sync()
            let device = bob
            await lists.scenario.faults.interruptAny(number) { try await device.sync.sharing.accept(at: second.url) }
            try await device.sync.sync()
            isAccepted = await lists.scenario.faults.requests.contains("records/accept")
            await lists.scenario.faults.clear()
            try await device.sync.sync()
            let titles = isFirstSync ? ["n1", "n2", "n3"] : ["n1", "n2", "n3", "of Bob"]
            #expect(try await device.titles() == titles + (isAccepted ? ["s1"] : []), "request \(number)")
        }
        return isAccepted
    }
}
