import BackstitchTestKit
import TestSupport
import Testing

@Suite("simulated worlds")
struct CampaignTests {
    /// `make test` runs a thirtieth of each kind's worlds, which need not meet all situations: only those of `make
    /// campaigns` must. `make simulate` runs more.
    private static let part = Effort.isWhole ? 1 : 30

    @Test(
        "worlds end with everything everywhere, nothing that was promised is lost, and all that shall come about does")
    func campaign() async throws {
        // A whole campaign lives more until all situations that are asked for have come about.
        let run = try await simulate(["--seeds", "\(1_000 / Self.part)", "--small"])
        #expect(run.status == 0, "\(run.output)")
        let steps = run.output.split(separator: "\n").first { $0.contains(" seeds, ") }
        print("counted: simulated worlds: \(try #require(steps))")
    }

    @Test("worlds with a server that knows nothing of this project end so too")
    func plain() async throws {
        try await live(250, ["--plain"], "with a plain server")
    }

    @Test("worlds with three servers of one storage end so too")
    func servers() async throws {
        try await live(
            250, ["--servers"], "with three servers",
            seeing: ["one of several servers was killed"])
    }

    // A link is refused in one of a hundred worlds: there are some from seed 1001 on.
    @Test(
        "worlds with several zones end so too, with either kind of server",
        arguments: [["--from", "1001"], ["--plain"]]
    )
    func zones(_ kind: [String]) async throws {
        try await live(
            kind == ["--plain"] ? 150 : 250, ["--zones"] + kind, "with several zones",
            seeing: [
                "objects were in further zones", "a link from one zone to another was refused",
                "a further zone was deleted", "an orphan was deleted",
                "a device learnt that a further zone is gone",
            ])
    }

    @Test(
        "worlds in which a zone is shared, or single objects are, end so too, with either kind of server",
        arguments: [[], ["--plain"]])
    func shares(_ kind: [String]) async throws {
        try await live(
            150, ["--shares"] + kind, "of a shared zone, \(kind)",
            seeing: [
                "a save was refused for want of a right", "a guest left", "a change was taken back: insert",
                "a change was taken back: update", "a device learnt that a further zone is gone",
                "an object was shared where it is", "a share of an object ended", "a guest left a share of an object",
                "a guest saw objects that are shared where they are",
            ] + (kind.isEmpty ? [] : ["a change named a parent that the server lacked"]))
    }

    @Test(
        "worlds of several zones with both kinds of shares, among which objects move, end so too",
        arguments: [[], ["--plain"], ["--secrets"], ["--secrets", "--plain"]])
    func sharedAmongZones(_ kind: [String]) async throws {
        try await live(
            80, ["--shares", "--zones"] + kind, "of several zones with shares, \(kind)",
            seeing: [
                "a save was refused for want of a right", "a guest left", "a change was taken back: insert",
                "objects were in further zones", "an object moved out of a guest's sight",
                "a guest saw a zone beside objects that are shared where they are",
            ] + (kind.contains("--secrets") ? ["a value was encrypted anew"] : []))
    }

    @Test(
        "worlds with encrypted attributes end so too, with either kind of server, and where the zone is shared",
        arguments: [[], ["--plain"], ["--shares"]])
    func secrets(_ kind: [String]) async throws {
        try await live(
            150, ["--secrets"] + kind, "with encrypted attributes, \(kind)",
            seeing: [
                "a key was made", "a device was given a key later", "a record waited for its key",
                "a value was encrypted anew", "an edit waited for the key of the server's record",
            ])
    }

    @Test(
        "worlds in which users publish and follow end so too, with either kind of server", arguments: [[], ["--plain"]])
    func publicData(_ kind: [String]) async throws {
        try await live(
            60, ["--public"] + kind, "of public data, \(kind)",
            seeing: [
                "a save was refused for want of a right", "a right to public data was given",
                "a right to public data was taken",
                "a change was taken back: update", "a change was taken back: delete",
                "a device followed a part no more",
                "a device followed a part again at once", "a device followed several parts in the end",
                kind.isEmpty
                    ? "a device stood where the feed of public data did" : "the server's clock went back a little",
            ])
    }

    @Test(
        "worlds that have gone wrong end so too",
        arguments: [
            ["--public", "--seed", "12005650"], ["--public", "--seed", "13014708"],
            ["--plain", "--public", "--seed", "13104070"], ["--zones", "--seed", "711002521"],
            ["--secrets", "--seed", "703003942"], ["--plain", "--zones", "--seed", "802000659"],
            ["--zones", "--seed", "812002483"], ["--zones", "--seed", "821001999"], ["--zones", "--seed", "825002593"],
            ["--plain", "--zones", "--seed", "822005597"], ["--plain", "--zones", "--seed", "824000308"],
            ["--zones", "--seed", "831001605"], ["--zones", "--seed", "851003759"],
            ["--plain", "--zones", "--seed", "866002880"], ["--zones", "--seed", "861003590"],
            ["--zones", "--seed", "867001475"], ["--plain", "--zones", "--seed", "907002343"],
            ["--zones", "--seed", "921002363"], ["--seed", "954000593"], ["--plain", "--seed", "959008882"],
            ["--plain", "--seed", "959015457"], ["--plain", "--zones", "--seed", "102"],
            ["--zones", "--seed", "40007"], ["--plain", "--zones", "--seed", "50168"],
        ])
    func onceWrong(_ world: [String]) async throws {
        let run = try await simulate(["--small"] + world)
        #expect(run.status == 0, "\(run.output)")
    }

    @Test("the same seed gives the same world, step by step", arguments: 1...10)
    func determinism(seed: Int) async throws {
        let arguments = ["--seed", "\(seed)", "--small"]
        let first = try await simulate(arguments), second = try await simulate(arguments)
        #expect(first.output.count > 1_000)
        #expect(first.output == second.output)
    }

    /// Lives worlds of a kind: all must end well, and the situations must come about.
    private func live(
        _ count: Int, _ kind: [String], _ label: String, seeing situations: [String] = []
    ) async throws {
        let count = count / Self.part
        let run = try await simulate(["--seeds", "\(count)", "--small"] + kind)
        #expect(run.status == 0, "\(run.output)")
        for situation in situations where Effort.isWhole {
            #expect(run.output.contains(situation), "never: \(situation)")
        }
        let steps = run.output.split(separator: "\n").first { $0.hasPrefix("\(count) seeds") }
        print("counted: simulated worlds \(label): \(try #require(steps))")
    }

    /// Runs the command to its end. The order of a world's steps depends on the order of dictionaries, which is equal
    /// in all processes only when hashing is fixed.
    private func simulate(_ arguments: [String]) async throws -> TestProcess.Outcome {
        try await TestProcess(
            "backstitch-simulate", arguments, environment: TestProcess.fixedHashing, errors: .discarded
        ).ended()
    }
}
