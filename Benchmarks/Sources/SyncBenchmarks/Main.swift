import Harness

@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if try await SyncProcess.runAsChild(arguments) { return }
        await Program.run(Syncing.benchmarks + Lists.benchmarks + Serving.benchmarks, arguments)
    }
}
