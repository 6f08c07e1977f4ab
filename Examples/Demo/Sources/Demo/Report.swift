import BackstitchSync

/// The tables at the end of the demonstration: phases, conflicts, and the comparison of the devices.
struct Report {
    var phases: [Phase] = []
    private var conflicts: [(policy: String, outcome: ConflictScenario.Outcome)] = []
    private var reported: [String: Int] = [:]

    var allAsExpected: Bool { conflicts.allSatisfy(\.outcome.isAsExpected) }

    mutating func add(_ outcomes: [ConflictScenario.Outcome], policy: String, reported count: Int) {
        conflicts += outcomes.map { (policy, $0) }
        reported[policy] = count
    }

    func print(_ comparison: ReplicaComparison) {
        Terminal.line("\n  phase                          objects     seconds   objects/s")
        for phase in phases { Terminal.line("  \(phase.line)") }
        Terminal.line("\n  conflict                     object               policy      who won")
        for (policy, outcome) in conflicts {
            Terminal.line(
                "  " + column(outcome.what, 29) + column(outcome.object, 21) + column(policy, 12) + outcome.winner
                    + (outcome.isAsExpected ? "" : "  <- NOT as the policy says"))
        }
        for (policy, count) in reported.sorted(by: { $0.key < $1.key }) {
            Terminal.line("  \(policy): B was told of \(count) conflicts")
        }
        Terminal.line("\n  \(comparison.objects) objects, \(comparison.relationships) relationships on each device")
        if comparison.differences.isEmpty {
            Terminal.line("  both devices are equal, value for value")
        } else {
            Terminal.line("  the devices DIFFER in \(comparison.differences.count) places:")
            for difference in comparison.differences.prefix(20) { Terminal.line("    \(difference)") }
        }
    }

    private func column(_ text: String, _ width: Int) -> String {
        let shown = text.count < width ? text : text.prefix(width - 2) + "…"
        return shown + String(repeating: " ", count: width - shown.count)
    }
}
