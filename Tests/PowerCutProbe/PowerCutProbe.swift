import BackstitchTestKit
import CPowerCut
import Foundation

/// A program that cuts the power during its work, again and again: `PowerCutProbe SCENARIO CUTS SEED`.
///
/// Each world has a disk of its own and a seed of its own, and a few cuts. The content of the disk after one cut is the
/// beginning of the next. A failed world is reported with its seed; `PowerCutProbe SCENARIO 1 SEED` repeats it.
@main
struct PowerCutProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let cuts = Int(arguments[2]), let seed = UInt64(arguments[3]) else {
            say("PowerCutProbe full|normal|server CUTS SEED")
            exit(2)
        }
        guard power_cut_is_possible() != 0 else { return say("not possible here") }
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-cuts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var tally = Tally()
        var world = seed
        while tally.cuts < cuts {
            try await live(arguments[1], world, folder, &tally)
            world &+= 1
        }
        say("\(tally.cuts) cuts, \(tally.acknowledged) acknowledged, \(tally.kept) more kept, \(tally.wrong) wrong")
        exit(tally.wrong == 0 ? 0 : 1)
    }

    private static func live(_ scenario: String, _ seed: UInt64, _ folder: URL, _ tally: inout Tally) async throws {
        var random = SeededGenerator(seed: seed)
        let disk = Disk(folder, random: SeededGenerator(seed: random.next()))
        try disk.mount()
        try disk.restore()
        do {
            switch scenario {
            case "full", "normal":
                var store = try StoreScenario(disk, random, synchronous: scenario.uppercased())
                try store.live(&tally)
            case "server":
                var server = ServerScenario(disk, random)
                try await server.live(&tally)
            default: throw Wrong("there is no scenario \(scenario)")
            }
        } catch {
            tally.wrong += 1
            say("seed \(seed): \(error); there is \(disk.contents)")
        }
    }

    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }
}

/// The results of the worlds, counted.
struct Tally {
    var cuts = 0
    /// How many writes were acknowledged.
    var acknowledged = 0
    /// How many were not, and are there.
    var kept = 0
    var wrong = 0
}

/// An error for something that is not as it must be.
struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension Disk {
    /// Files that are still open, except lock files and those of earlier worlds. Work on them after the cut would not
    /// be seen.
    func leftOpen() throws -> [String] {
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return links.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0.hasPrefix(folder + "/") && !$0.contains("/lock") && !$0.hasSuffix("(deleted)") }
    }
}
