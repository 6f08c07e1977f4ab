import BackstitchTestKit
import TestSupport
import Testing

@Suite("simulated worlds")
struct CampaignTests {
    /// At least so many, and more until all situations that are asked for have come about.
    private static let count = 2_000

    @Test(
        "worlds end with everything everywhere, nothing that was promised is lost, and all that shall come about does")
    func campaign() async throws {
        let run = try await simulate(["--seeds", "\(Self.count)", "--small"])
        #expect(run.status == 0, "\(run.output)")
        let steps = run.output.split(separator: "\n").first { $0.contains(" seeds, ") }
        print("counted: simulated worlds: \(try #require(steps))")
    }

    @Test("worlds with a server that knows nothing of this project end so too")
    func plain() async throws {
        let run = try await simulate(["--seeds", "400", "--small", "--plain"])
        #expect(run.status == 0, "\(run.output)")
        let steps = run.output.split(separator: "\n").first { $0.hasPrefix("400 seeds") }
        print("counted: simulated worlds with a plain server: \(try #require(steps))")
    }

    @Test("worlds with three servers of one storage end so too")
    func servers() async throws {
        let run = try await simulate(["--seeds", "400", "--small", "--servers"])
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("one of several servers was killed"))
        let steps = run.output.split(separator: "\n").first { $0.hasPrefix("400 seeds") }
        print("counted: simulated worlds with three servers: \(try #require(steps))")
    }

    @Test("worlds with several zones end so too, with either kind of server", arguments: [[], ["--plain"]])
    func zones(_ kind: [String]) async throws {
        let run = try await simulate(["--seeds", "150", "--small", "--zones"] + kind)
        #expect(run.status == 0, "\(run.output)")
        for situation in [
            "objects were in further zones", "a link from one zone to another was refused",
            "a further zone was deleted", "an orphan was deleted",
            "a device learnt that a further zone is gone",
        ] { #expect(run.output.contains(situation), "never: \(situation)") }
        let steps = run.output.split(separator: "\n").first { $0.hasPrefix("150 seeds") }
        print("counted: simulated worlds with several zones: \(try #require(steps))")
    }

    @Test("worlds in which a zone is shared end so too")
    func shares() async throws {
        let run = try await simulate(["--seeds", "150", "--small", "--shares"])
        #expect(run.status == 0, "\(run.output)")
        for situation in [
            "a save was refused for want of a right", "a guest left", "a change was taken back: insert",
            "a change was taken back: update", "a device learnt that a further zone is gone",
            "an object was shared where it is", "a share of an object ended", "a guest left a share of an object",
            "a guest saw objects that are shared where they are",
        ] { #expect(run.output.contains(situation), "never: \(situation)") }
        let steps = run.output.split(separator: "\n").first { $0.hasPrefix("150 seeds") }
        print("counted: simulated worlds of a shared zone: \(try #require(steps))")
    }

    @Test(
        "worlds with encrypted attributes end so too, with either kind of server, and where the zone is shared",
        arguments: [[], ["--plain"], ["--shares"]])
    func secrets(_ kind: [String]) async throws {
        let run = try await simulate(["--seeds", "150", "--small", "--secrets"] + kind)
        #expect(run.status == 0, "\(run.output)")
        for situation in [
            "a key was made", "a device was given a key later", "a record waited for its key",
            "a value was encrypted anew", "an edit waited for the key of the server's record",
        ] { #expect(run.output.contains(situation), "never: \(situation)") }
        let steps = run.output.split(separator: "\n").first { $0.hasPrefix("150 seeds") }
        print("counted: simulated worlds with encrypted attributes, \(kind): \(try #require(steps))")
    }

    @Test(
        "worlds in which users publish and follow end so too, with either kind of server", arguments: [[], ["--plain"]])
    func publicData(_ kind: [String]) async throws {
        let run = try await simulate(["--seeds", "60", "--small", "--public"] + kind)
        #expect(run.status == 0, "\(run.output)")
        for situation in [
            "a change was taken back: update", "a change was taken back: delete", "a device followed a part no more",
            "a device followed a part again at once", "a device followed several parts in the end",
            kind.isEmpty
                ? "a device stood where the feed of public data did" : "the server's clock went back a little",
        ] { #expect(run.output.contains(situation), "never: \(situation)") }
        let steps = run.output.split(separator: "\n").first { $0.hasPrefix("60 seeds") }
        print("counted: simulated worlds of public data, \(kind): \(try #require(steps))")
    }

    @Test("the same seed gives the same world, step by step", arguments: 1...10)
    func determinism(seed: Int) async throws {
        let arguments = ["--seed", "\(seed)", "--small"]
        let first = try await simulate(arguments), second = try await simulate(arguments)
        #expect(first.output.count > 1_000)
        #expect(first.output == second.output)
    }

    /// Runs the command to its end. In one process after another the order of dictionaries is the same only when it is
    /// fixed, and on that depends the order of a world's steps.
    private func simulate(_ arguments: [String]) async throws -> TestProcess.Outcome {
        try await TestProcess(
            "backstitch-simulate", arguments, environment: TestProcess.fixedHashing, errors: .discarded
        ).ended()
    }
}
