import Harness

@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Memory is measured in a separate process that does nothing else.
        if try UserMemory.runAsChild(arguments) { return }
        await Program.run(Registry.all, arguments)
    }
}
