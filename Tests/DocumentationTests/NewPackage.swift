import Foundation

/// An empty package in a folder of its own. Code is put into it as a reader would do. It is compiled like a package, in
/// the Swift 6 language mode and without warnings, against the modules built along with the tests.
struct NewPackage {
    let folder: URL
    private let record: BuildRecord

    /// How a program ended, and what it printed.
    struct Outcome {
        let status: Int32
        let output: String
    }

    init() throws {
        record = try BuildRecord()
        folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-docs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() throws { try FileManager.default.removeItem(at: folder) }

    /// Puts a file into it.
    func add(_ code: String, as path: String) throws {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(code.utf8).write(to: file)
    }

    /// Checks the files of a target.
    func check(_ target: String) async throws -> Outcome {
        try await compile(target, ["-typecheck"])
    }

    /// Compiles and links the files of a target into a program in the package's folder, and returns the program.
    func build(_ target: String) async throws -> (program: URL, outcome: Outcome) {
        let program = folder.appending(path: target.lowercased())
        let objects = folder.appending(path: "\(target).objects")
        try Data(record.linking.filter { $0.hasSuffix(".o") }.map { "\"\($0)\"\n" }.joined().utf8).write(to: objects)
        let libraries = record.linking.filter { !$0.hasSuffix(".o") }
        let outcome = try await compile(
            target,
            ["-emit-executable", "-o", program.path(percentEncoded: false)] + libraries
                + ["@\(objects.path(percentEncoded: false))"])
        return (program, outcome)
    }

    private func compile(_ target: String, _ arguments: [String]) async throws -> Outcome {
        let sources = folder.appending(path: "Sources/\(target)")
        let names = try FileManager.default.contentsOfDirectory(atPath: sources.path(percentEncoded: false)).sorted()
        // A file without a main.swift beside it is a library's.
        let mode = names.contains("main.swift") ? [] : ["-parse-as-library"]
        return try await run(
            record.compiler,
            ["-module-name", target, "-swift-version", "6", "-warnings-as-errors", "-Onone"] + mode + record.compiling
                + names.map { sources.appending(path: $0).path(percentEncoded: false) } + arguments)
    }

    /// Runs a program in the package's folder to its end; the end of the test ends it too.
    func run(_ program: String, _ arguments: [String]) async throws -> Outcome {
        let log = folder.appending(path: "\(UUID().uuidString).log")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        defer { try? output.close() }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = output
        let status = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
        } onCancel: {
            if process.isRunning { process.terminate() }
        }
        return Outcome(status: status, output: String(decoding: try Data(contentsOf: log), as: UTF8.self))
    }
}
