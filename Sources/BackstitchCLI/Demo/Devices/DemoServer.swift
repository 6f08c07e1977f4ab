import Backstitch
import Foundation

/// A server process of the demonstration's own, on loopback.
final class DemoServer {
    private(set) var url: URL
    private let storage: URL
    private var process: Process
    // The server ends when this pipe closes: with the demonstration, however that ends.
    private var lifeline: Pipe

    /// Starts a server that keeps its data in `storage`, on a free port.
    init(storage: URL) throws {
        self.storage = storage
        (process, lifeline, url) = try Self.launch(storage: storage, port: 0)
    }

    /// Ends the server's process: every device is offline from now on.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Starts a server on the same data and port again.
    func restart() throws {
        stop()
        (process, lifeline, url) = try Self.launch(storage: storage, port: url.port ?? 0)
    }

    private static func launch(storage: URL, port: Int) throws -> (Process, Pipe, URL) {
        let process = Process()
        process.executableURL = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        process.arguments = [
            "serve", "--any-container", "--port", "\(port)", "--storage", storage.path, "--log-level", "warning",
            "--until-input-ends",
        ]
        let output = Pipe(), input = Pipe()
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else {
                throw BackstitchError(.server, "the demonstration's server ended before it listened; it said: \(text)")
            }
            text += String(decoding: data, as: UTF8.self)
        }
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let url = words.lazy.compactMap({ URL(string: String($0)) }).first(where: { $0.scheme == "http" }) else {
            throw BackstitchError(.server, "the demonstration's server did not say where it listens, but: \(text)")
        }
        return (process, input, url)
    }
}
