import ArgumentParser
import BackstitchSimulator
import Foundation

/// Lives many worlds, and prints the seed, the trace and the command of one that went wrong.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backstitch-simulate",
        abstract: "Simulates devices, a server and a bad network, from seeds.")

    @Option(help: "How many seeds.") var seeds: UInt64 = 1_000
    @Option(help: "The first seed.") var from: UInt64 = 1
    @Option(help: "One seed only, with its trace.") var seed: UInt64?
    @Option(help: "How many threads.") var threads = 2
    @Flag(help: "Looks for each of the planted bugs, and says by which seed it is found.") var plantedBugs = false
    @Flag(help: "Smaller worlds.") var small = false

    func run() throws {
        if let seed {
            var plan = WorldPlan(seed: seed)
            if small { plan.shrink() }
            let report = World.run(plan) { say($0) }
            say(report.plan)
            guard report.violations.isEmpty else { throw ExitCode.failure }
            return
        }
        if plantedBugs { return try findPlantedBugs() }
        let start = Date()
        let isSmall = small
        let result = Campaign.run(seeds: from..<(from + seeds), threads: threads) { if isSmall { $0.shrink() } }
        for (name, count) in result.situations.counts.sorted(by: { $0.key < $1.key }) { say("  \(count)\t\(name)") }
        say("\(seeds) seeds, \(result.steps) steps, \(Date().timeIntervalSince(start)) s")
        for failure in result.failures.prefix(5) { say(failure.text) }
        guard result.failures.isEmpty else { throw ExitCode.failure }
    }

    private func findPlantedBugs() throws {
        let isSmall = small
        var missed = 0
        for bug in PlantedBug.allCases {
            let result = Campaign.run(seeds: from..<(from + seeds), threads: threads, maximumFailures: 1) { plan in
                if isSmall { plan.shrink() }
                bug.plant(in: &plan)
            }
            if let report = result.failures.first?.report {
                say("\(bug.rawValue): seed \(report.seed): \(report.violations.first ?? "")")
            } else {
                missed += 1
                say("\(bug.rawValue): not found in \(seeds) seeds")
            }
        }
        if missed > 0 { throw ExitCode.failure }
    }
}

/// Prints a line at once, also into a file.
private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
