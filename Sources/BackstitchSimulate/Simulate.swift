import ArgumentParser
import BackstitchSimulator
import Foundation
import Logging

/// Runs many worlds. For a failed one it prints the seed, the trace and the command.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backstitch-simulate",
        abstract: "Simulates devices, a server and a bad network, from seeds.")

    @Option(help: "How many seeds.") var seeds: UInt64 = 1_000
    @Option(help: "The first seed.") var from: UInt64 = 1
    @Option(help: "One seed only, with its trace.") var seed: UInt64?
    @Option(help: "How many threads.") var threads = 2
    @Option(help: "The number of failed worlds after which no further one begins.") var failures = 10
    @Option(
        help: "Looks for a planted bug in a program that `make mutants` builds, and names the seed that finds it.")
    var bug: String?
    @Flag(help: "Smaller worlds.") var small = false
    @Flag(help: "Worlds with a server that knows CloudKit Web Services and nothing of this project.") var plain = false
    @Flag(help: "Worlds with three servers of one storage, which are killed one by one.") var servers = false

    @Flag(help: "Worlds with several zones, which devices make and others delete.") var zones = false

    @Flag(help: "Worlds in which the zone, or single objects of it, are shared with others, whose rights change.")
    var shares = false

    @Flag(help: "Worlds with encrypted attributes, whose keys are replaced.") var secrets = false

    @Flag(name: .customLong("public"), help: "Worlds in which users publish objects, and follow what others publish.")
    var hasPublicData = false

    func validate() throws {
        if let bug, PlantedBug(name: bug) == nil {
            throw ValidationError(
                "there is no bug \"\(bug)\"; there are \(PlantedBug.allCases.map { "\($0)" }.joined(separator: ", "))")
        }
        if plain, servers { throw ValidationError("there is one plain server; give --plain or --servers") }
    }

    func run() throws {
        // Files of worlds are in memory if the system has a place for that: they need not survive a loss of power.
        if FileManager.default.isWritableFile(atPath: "/dev/shm") { setenv("TMPDIR", "/dev/shm", 1) }
        // Stores warn of files left open by dead devices. Worlds cause this on purpose.
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .error
            return handler
        }
        let chosen = bug.flatMap(PlantedBug.init(name:))
        if let seed {
            var plan = WorldPlan(seed: seed)
            change(chosen)(&plan)
            let report = World.run(plan) { say($0) }
            say(report.plan)
            guard report.violations.isEmpty else { throw ExitCode.failure }
            return
        }
        if let chosen { return try find(chosen) }
        try live()
    }

    private func live() throws {
        let start = Date()
        var seeds = seeds
        var result = campaign(from..<(from + seeds))
        if asksForAll(seeds) {
            // A situation of one world in a thousand is sometimes missing from 2,000 worlds.
            let most = seeds * 3
            while !result.situations.missing.isEmpty, result.failures.isEmpty, seeds < most {
                result.add(campaign(from + seeds..<from + seeds + Situations.fullRun / 4))
                seeds += Situations.fullRun / 4
            }
        }
        let counts = result.situations.counts.sorted { $0.key < $1.key }
        for (name, count) in counts { say("  \(count)\t\(name)") }
        say(
            "\(seeds) seeds, \(result.steps) steps, \(counts.count) situations, "
                + "\(Int(Date().timeIntervalSince(start).rounded())) s, \(Self.processorSeconds()) s of processors")
        for failure in result.failures.dropFirst() { say(failure.summary) }
        if let failure = result.failures.first { say(failure.text) }
        let missing = asksForAll(seeds) ? result.situations.missing : []
        if !missing.isEmpty { say("never came about: \(missing.joined(separator: "; "))") }
        guard result.failures.isEmpty, missing.isEmpty else { throw ExitCode.failure }
    }

    /// Whether a run must have met all situations.
    private func asksForAll(_ seeds: UInt64) -> Bool {
        seeds >= Situations.fullRun && !plain && !servers && !zones && !shares && !secrets && !hasPublicData
    }

    private func campaign(_ seeds: Range<UInt64>) -> Campaign.Result {
        Campaign.run(
            seeds: seeds, threads: threads, maximumFailures: failures, repeats: Self.repeatsHashing, change: change(nil)
        )
    }

    private func find(_ bug: PlantedBug) throws {
        let result = Campaign.run(
            seeds: from..<(from + seeds), threads: threads, maximumFailures: 1, change: change(bug))
        guard let report = result.failures.first?.report else {
            say("\(bug.rawValue): not found in \(seeds) seeds")
            throw ExitCode.failure
        }
        say("\(bug.rawValue): seed \(report.seed): \(report.violations.first ?? "")")
    }

    private func change(_ bug: PlantedBug?) -> @Sendable (inout WorldPlan) -> Void {
        let (isSmall, isPlain, hasSeveral, hasZones, isShared) = (small, plain, servers, zones, shares)
        let (hasSecrets, isPublic) = (secrets, hasPublicData)
        return { plan in
            if hasSecrets { plan.makeSecrets() }
            if isSmall { plan.shrink() }
            if isPlain { plan.makePlain() }
            if hasSeveral { plan.makeSeveralServers() }
            if hasZones { plan.makeZones() }
            if isShared { plan.makeShares() }
            if isPublic { plan.makePublic() }
            bug?.provoke(in: &plan)
        }
    }

    /// Whether the order of dictionaries is the same each time.
    private static var repeatsHashing: Bool {
        ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil
    }

    private static func processorSeconds() -> Int {
        // POSIX defines the unit as microseconds. C structures for time belong to another module on each system.
        Int(clock()) / 1_000_000
    }
}

/// Prints a line at once, also into a file.
private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
