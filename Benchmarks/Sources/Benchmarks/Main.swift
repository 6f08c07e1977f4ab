import Harness

@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Memory is looked at in a process that does nothing else.
        if try UserMemory.runAsChild(arguments) { return }
        await Program.run(Registry.all, arguments)
    }
}
