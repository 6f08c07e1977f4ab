import Backstitch
import BackstitchServer
import BackstitchSync
import BackstitchTestKit

/// The result of a world.
package struct WorldReport: Sendable {
    /// The plan in one line.
    package let plan: String
    /// The seed of the world.
    package let seed: UInt64
    /// The command that runs the world again.
    package let command: String
    /// The violations that were found; empty when there were none.
    package internal(set) var violations: [String]
    /// A digest of the trace: equal for equal runs.
    package let digest: UInt64
    /// The trace, one line a step; empty unless it was kept.
    package let trace: [String]
    /// The situations that occurred.
    package let situations: Situations
    /// The number of steps in the world.
    package let steps: Int

    init(
        plan: WorldPlan, violations: [String], digest: UInt64, trace: [String], situations: Situations, steps: Int
    ) {
        self.plan = plan.summary
        seed = plan.seed
        command = plan.command
        self.violations = violations
        self.digest = digest
        self.trace = trace
        self.situations = situations
        self.steps = steps
    }
}
