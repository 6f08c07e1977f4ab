import ArgumentParser
import BackstitchServer

/// `backstitch admin containers`: the containers that the storage declares.
struct AdminContainersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "containers",
        abstract: "Containers that all servers of the storage serve, in addition to those of serve --container.",
        subcommands: [Add.self, List.self, Remove.self])

    static func text(_ container: ContainerLine) -> String { AdminDates.line([container.name, container.label]) }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Declare a container, in both environments.")

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput

        @Argument(help: "The name, such as iCloud.org.example.app.")
        var name: String

        @Option(help: "A description of the container, for people.")
        var label: String?

        func run() async throws {
            var request = AddContainer(name: name)
            request.label = label
            let made = try await door.withAdministrator { [request] in try await $0.ask(request) }
            try output.write(made, AdminContainersCommand.text(made))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the containers of the storage by name.")

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput

        func run() async throws {
            try await door.withAdministrator { administrator in
                try await output.write(
                    pages: { _ in try await administrator.ask(ListContainers()) }, AdminContainersCommand.text)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "No longer serve a container. Its records stay.")

        @OptionGroup var door: AdminDoor
        @OptionGroup var output: AdminOutput

        @Argument(help: "The name.")
        var name: String

        func run() async throws {
            let done = try await door.withAdministrator { try await $0.ask(RemoveContainer(name: name)) }
            try output.write(done, "removed \(name)")
        }
    }
}
