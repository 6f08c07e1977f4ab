import BackstitchServer
import Foundation
import Testing

/// Every Swift block of README.md and the other documents is taken whole from the document, and put into a new package
/// as the file that it names.
@Suite("the code in the documentation", .timeLimit(.minutes(10)))
struct DocumentationTests {
    /// A program made from blocks, with files of another program whose model it uses.
    struct Sample: CustomStringConvertible {
        let name: String
        var model: String?
        var description: String { name }
    }

    static let samples = [
        Sample(name: "App"), Sample(name: "MacroApp"),
        Sample(name: "Sync", model: "App/Notes.swift"), Sample(name: "CloudKit", model: "App/Notes.swift"),
        Sample(name: "Encryption"), Sample(name: "PostgreSQL", model: "App/Notes.swift"),
        Sample(name: "JSONFileApp", model: "App/Notes.swift"),
        Sample(name: "JSONFileStoreTests"),
    ]

    @Test("every Swift block says which file it is, and is compiled here")
    func everyBlockIsCompiled() throws {
        let blocks = try CodeBlock.all()
        #expect(blocks.count > 15)
        for block in blocks {
            let path = try #require(block.path, "\(block) begins with ```swift, without the name of a file")
            let target = path.split(separator: "/").first.map(String.init)
            let isManifest = path.hasSuffix("Package.swift")
            #expect(isManifest || Self.samples.contains { $0.name == target }, "\(block): nothing compiles \(path)")
            #expect(blocks.count { $0.path == path } == 1, "\(block): another block is \(path) too")
        }
    }

    @Test("compiles as it stands there, without warnings", arguments: samples)
    func compiles(_ sample: Sample) async throws {
        let package = try NewPackage()
        try Self.fill(package, with: sample)
        let outcome = try await package.check(sample.name)
        #expect(outcome.status == 0, "\(outcome.output)")
        try package.remove()
    }

    @Test("a manifest is one")
    func manifests() async throws {
        for block in try CodeBlock.all() where block.path?.hasSuffix("Package.swift") == true {
            let package = try NewPackage()
            try package.add(block.code, as: "Package.swift")
            let outcome = try await package.run("/usr/bin/env", ["swift", "package", "dump-package"])
            #expect(outcome.status == 0 && outcome.output.contains("\"backstitch\""), "\(block): \(outcome.output)")
            try package.remove()
        }
    }

    @Test("the README's first program runs in a new package, and syncs")
    func app() async throws {
        let server = try ZoneServer(configuration: ZoneServerConfiguration(port: 0, storage: .memory))
        let address = try await server.start()
        let package = try NewPackage()
        // Only the server's port differs from the README, because the usual one may be taken.
        try Self.fill(package, with: Sample(name: "App")) {
            $0.replacingOccurrences(of: "http://127.0.0.1:8080", with: address.absoluteString)
        }
        let (program, built) = try await package.build("App")
        #expect(built.status == 0, "\(built.output)")
        let outcome = try await package.run(program.path(percentEncoded: false), [])
        try await server.stop()
        #expect(outcome.status == 0 && outcome.output.contains("[\"Buy thread\"]"), "\(outcome.output)")
        try package.remove()
    }

    @Test("the README's program with macros runs in a new package")
    func macroApp() async throws {
        let package = try NewPackage()
        try Self.fill(package, with: Sample(name: "MacroApp"))
        let (program, built) = try await package.build("MacroApp")
        #expect(built.status == 0, "\(built.output)")
        let outcome = try await package.run(program.path(percentEncoded: false), [])
        #expect(outcome.status == 0 && outcome.output.hasSuffix("[\"Buy thread\"]\n"), "\(outcome.output)")
        try package.remove()
    }

    /// Puts the blocks of a sample, and its model, into a package.
    private static func fill(
        _ package: NewPackage, with sample: Sample, _ change: (String) -> String = { $0 }
    ) throws {
        var count = 0
        for block in try CodeBlock.all() {
            guard let path = block.path, !path.hasSuffix("Package.swift") else { continue }
            let name = URL(filePath: path).lastPathComponent
            guard path.hasPrefix("\(sample.name)/") || path == sample.model else { continue }
            try package.add(change(block.code), as: "Sources/\(sample.name)/\(name)")
            count += 1
        }
        try #require(count > (sample.model == nil ? 0 : 1), "no block is a file of \(sample.name)")
    }
}
