import Backstitch
import BackstitchSQLite
import BackstitchSync
import BackstitchTestKit
import CloudWire

/// The winner of conflicts in a world.
package enum SimulatedPolicy: String, CaseIterable, Sendable {
    /// The server's version always wins.
    case serverWins
    /// The device's version always wins.
    case clientWins
    /// The larger value wins, and an edit wins against a deletion.
    case largest

    var resolver: any ConflictResolver {
        switch self {
        case .serverWins: ConflictResolutionPolicy.serverWins
        case .clientWins: ConflictResolutionPolicy.clientWins
        case .largest: LargestWins()
        }
    }
}

/// The larger value wins, so that devices agree without regard to the order of their pushes.
private struct LargestWins: ConflictResolver {
    func decide(of entity: ResolvedEntity, _ conflict: () -> ConflictToResolve) -> ConflictDecision {
        let conflict = conflict()
        guard conflict.kind == .edits else {
            return .winner(conflict.kind == .editedHereDeletedThere ? .client : .server)
        }
        var choices: [String: ConflictChoice] = [:]
        for key in conflict.keys {
            let mine = conflict.local[key]?.summary ?? "", theirs = conflict.server[key]?.summary ?? ""
            choices[key] = .side(mine < theirs ? .server : .client)
        }
        return .winner(.server, choices: choices)
    }
}
