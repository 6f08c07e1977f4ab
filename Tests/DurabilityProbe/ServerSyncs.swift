import Backstitch
import BackstitchServer
import BackstitchSupport
import CDiskCalls
import Foundation

/// Pushes to a server. Prints `alone`: the number of pushes one by one, and the fewest syncs within one. Prints
/// `together`: the number of simultaneous pushes, the number answered while the disk was held up, and the number of
/// their syncs.
struct ServerSyncs {
    let folder: URL
    private let answered = Answered()
    /// How many pushes come at once.
    private static let atOnce = 8

    init(_ folder: URL) { self.folder = folder }

    func run() async throws {
        let probe = try await ProbeServer(folder)
        try await probe.makeZone()
        var fewest = UInt.max
        for number in 0..<20 {
            let before = syncs_so_far()
            try await probe.push("alone\(number)")
            fewest = min(fewest, syncs_so_far() - before)
        }
        print("alone 20 \(fewest)")
        try await together(probe)
        try await probe.server.stop()
    }

    private func together(_ probe: ProbeServer) async throws {
        let before = syncs_so_far()
        syncs_hold(1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.atOnce {
                group.addTask { [answered] in
                    try await probe.push("together\(number)")
                    answered.count.withLock { $0 += 1 }
                }
            }
            try await waitForDisk()
            // Long enough for the others to get as far as they can, and for a wrongly early answer.
            try await Task.sleep(for: .milliseconds(500))
            let early = answered.count.withLock { $0 }
            syncs_hold(0)
            try await group.waitForAll()
            print("together \(Self.atOnce) \(early) \(syncs_so_far() - before)")
        }
    }

    /// Returns when a push waits for the disk, or all are answered without, as the numbers then tell.
    ///
    /// - Throws: when neither happens for long. The disk is let go then, so that the pushes end.
    private func waitForDisk() async throws {
        let end = ContinuousClock.now + .seconds(60)
        while syncs_waiting() == 0, answered.count.withLock({ $0 }) < Self.atOnce {
            guard ContinuousClock.now < end else {
                syncs_hold(0)
                throw BackstitchError(.invalidRequest, "in a minute no push was answered or waited for the disk")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

private final class Answered: Sendable {
    let count = Locked(0)
}
