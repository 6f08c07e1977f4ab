import Backstitch
import BackstitchSupport
import Dispatch
import Foundation

/// Runs many worlds on several threads.
package enum Campaign {
    /// The results of the worlds.
    package struct Result: Sendable {
        /// The failed worlds, in order of their seeds.
        package var failures: [Failure] = []
        /// The situations of all worlds together.
        package var situations = Situations()
        /// The number of steps in all worlds.
        package var steps = 0

        /// Adds the result of later seeds.
        package mutating func add(_ later: Result) {
            failures += later.failures
            situations.add(later.situations)
            steps += later.steps
        }
    }

    /// A world with a violation.
    package struct Failure: Sendable {
        /// The report, with the trace.
        package let report: WorldReport

        /// The text to print: trace, violations, and the command that repeats them.
        package var text: String { report.trace.joined(separator: "\n") + "\n" + summary }

        /// The same text without the trace.
        package var summary: String {
            """
            seed \(report.seed): \(report.plan)
            \(report.violations.map { "violation: \($0)" }.joined(separator: "\n"))
            again: \(report.command)
            """
        }
    }

    /// Runs the worlds of these seeds.
    ///
    /// - Parameters:
    ///   - change: Changes each plan.
    ///   - maximumFailures: The number of failures after which no further world begins.
    ///   - repeats: Runs one world of a hundred twice, and each failed world. The second run must equal the first, step
    ///     by step.
    package static func run(
        seeds: Range<UInt64>, threads: Int, maximumFailures: Int = 10, repeats: Bool = false,
        change: @escaping @Sendable (inout WorldPlan) -> Void = { _ in }
    ) -> Result {
        let state = Locked((next: seeds.lowerBound, result: Result()))
        let group = DispatchGroup()
        for number in 0..<max(threads, 1) {
            group.enter()
            let thread = Thread {
                let materials = Materials()
                while let seed = state.withLock({ state -> UInt64? in
                    guard state.next < seeds.upperBound, state.result.failures.count < maximumFailures else {
                        return nil
                    }
                    defer { state.next += 1 }
                    return state.next
                }) {
                    var plan = WorldPlan(seed: seed)
                    change(&plan)
                    let report = World.run(plan, of: materials)
                    let failure = failure(of: report, plan, repeats: repeats)
                    state.withLock { state in
                        state.result.steps += report.steps
                        state.result.situations.add(report.situations)
                        if let failure { state.result.failures.append(failure) }
                    }
                }
                group.leave()
            }
            thread.name = "world \(number)"
            thread.stackSize = 8 << 20
            thread.start()
        }
        group.wait()
        return result(of: state)
    }

    private static func failure(of report: WorldReport, _ plan: WorldPlan, repeats: Bool) -> Failure? {
        guard !report.violations.isEmpty || repeats && plan.seed % 100 == 0 else { return nil }
        var again = World.run(plan, keepsTrace: !report.violations.isEmpty)
        if repeats, again.digest != report.digest {
            again.violations.append(
                "the second life of the seed was not the first; violations of that: \(report.violations)")
        }
        return again.violations.isEmpty ? nil : Failure(report: again)
    }

    private static func result(of state: Locked<(next: UInt64, result: Result)>) -> Result {
        var result = state.withLock { $0.result }
        result.failures.sort { $0.report.seed < $1.report.seed }
        return result
    }
}
