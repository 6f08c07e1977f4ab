import Backstitch
import BackstitchServer
import BackstitchSync
import BackstitchTestKit

/// How a world ended.
package struct WorldReport: Sendable {
    /// The plan, in a line.
    package let plan: String
    /// The seed.
    package let seed: UInt64
    /// The command that lives the world again.
    package let command: String
    /// The faults that were found; empty when there were none.
    package internal(set) var violations: [String]
    /// Equal for equal runs.
    package let digest: UInt64
    /// A line a step, if they were kept.
    package let trace: [String]
    /// The situations that came about.
    package let situations: Situations
    /// How many steps there were.
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
