import Foundation
import TestSupport
import Testing

@Suite("the demonstration", .serialized)
struct DemoTests {
    @Test("two devices take in a CSV file, quarrel, and end up equal")
    func csv() async throws {
        let folder = try TemporaryFolder()
        let demo = try await run(["--input", try folder.writeBooks(2_000)])
        #expect(demo.status == 0, "\(demo.output)")
        #expect(demo.output.contains("both devices are equal, value for value"), "\(demo.output)")
        #expect(demo.output.contains("A is offline"), "\(demo.output)")
        for conflict in ["same field", "different fields", "A deletes, B edits", "A edits, B deletes"] {
            #expect(
                demo.output.components(separatedBy: conflict).count == 3, "\(conflict) once a policy: \(demo.output)")
        }
    }

    @Test("every installed package is imported, with its dependencies", .enabled(if: hasPackages))
    func packages() async throws {
        let demo = try await run()
        #expect(demo.status == 0, "\(demo.output)")
        #expect(demo.output.contains("both devices are equal, value for value"), "\(demo.output)")
        #expect(demo.output.contains("relinked to different ones"), "\(demo.output)")
        #expect(demo.output.contains("remote"), "an asset is on the server until it is asked for: \(demo.output)")
    }

    @Test("a file that cannot be read is said to be so")
    func badInput() async throws {
        let demo = try await run(["--input", "/nowhere/books.csv"])
        #expect(demo.status != 0)
        #expect(demo.output.contains("/nowhere/books.csv"), "\(demo.output)")
    }

    @Test("killed at any time, a second run on the same files converges, and nothing is doubled")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let input = try folder.writeBooks(3_000)
        let clean = try await run(["--input", input])
        #expect(clean.status == 0, "\(clean.output)")
        let server = try ServerProcess(storage: folder.url.appending(path: "zones"))
        defer { server.process.stop() }
        let arguments = [
            "--input", input, "--directory", folder.url.appending(path: "devices").path, "--server", server.url,
        ]
        // From the first import to after the last sync: whenever the kill comes, the files must do.
        for milliseconds in [150, 300, 450, 600, 800, 1_000, 1_300, 1_700, 2_200, 3_000] {
            let victim = try TestProcess("Demo", arguments, errors: .withOutput)
            try await Task.sleep(for: .milliseconds(milliseconds))
            victim.kill()
        }
        let last = try await run(arguments)
        #expect(last.status == 0, "\(last.output)")
        #expect(last.output.contains("both devices are equal, value for value"), "\(last.output)")
        #expect(Self.objects(last.output) == Self.objects(clean.output), "\(last.output)")
    }

    /// Runs the demo to its end.
    private func run(_ arguments: [String] = []) async throws -> TestProcess.Outcome {
        try await TestProcess("Demo", arguments, errors: .withOutput).ended()
    }

    /// How many objects both devices have in the end.
    private static func objects(_ output: String) -> Substring? {
        output.split(separator: "\n").first { $0.hasSuffix("on each device") }?.split(separator: " ").first
    }

    private static let hasPackages = FileManager.default.fileExists(atPath: "/var/lib/dpkg/status")
}

extension TemporaryFolder {
    /// A CSV file of `count` books, with quotes, commas and gaps; the same each time.
    fileprivate func writeBooks(_ count: Int) throws -> String {
        var text = "title,author,year,price,available\n"
        for number in 0..<count {
            let author = number % 7 == 0 ? "" : "\"Author \(number % 50), \"\"the \(number % 3)th\"\"\""
            text += "Book \(number) – é,\(author),\(1900 + number % 120),\(Double(number) / 4),\(number % 2 == 0)\n"
        }
        let file = url.appending(path: "books.csv")
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }
}
