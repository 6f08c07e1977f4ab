import Foundation

/// The command `backstitch` as a process of its own.
final class CommandProcess {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    /// Starts the command that was built along with the tests.
    init(_ arguments: [String]) throws {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        process.standardInput = input
        try process.run()
    }

    /// Waits for the end, and gives the exit status and all that the process said.
    func finish() -> (status: Int32, output: String) {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// Reads the output until `text` is in it; nil when the process ends before.
    func waitFor(_ text: String) -> String? {
        var said = ""
        while !said.contains(text) {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            said += String(decoding: data, as: UTF8.self)
        }
        return said
    }

    /// Ends the process at once, by SIGKILL: nothing of it runs on.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Asks the process to end, and waits for it.
    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    var isRunning: Bool { process.isRunning }

    static var executable: URL {
        #if os(macOS)
        let folder = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            .deletingLastPathComponent()
        #else
        let folder = Bundle.main.executableURL?.deletingLastPathComponent()
        #endif
        return (folder ?? URL(filePath: ".build/debug")).appending(path: "backstitch")
    }
}

/// A server process on a free port, and where it is.
struct ServerProcess {
    let process: CommandProcess
    let url: String

    init(storage: URL) throws {
        process = try CommandProcess(["serve", "--port", "0", "--storage", storage.path, "--log-level", "error"])
        let line = process.waitFor("\n") ?? ""
        url = line.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") }.map(String.init) ?? ""
    }
}

/// A folder that goes when the test ends.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "backstitch-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
}
