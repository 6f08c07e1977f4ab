import Foundation

@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Memory is looked at in a process that does nothing else; see ChildProcess.
        if try UserMemory.runAsChild(arguments) { return }
        if try await SyncProcess.runAsChild(arguments) { return }
        let options = try Options(arguments)
        if options.lists {
            for benchmark in Registry.all { print("\(benchmark.name)  \(benchmark.summary)") }
            return
        }
        try await Runner(options: options).run(Registry.all)
    }
}
