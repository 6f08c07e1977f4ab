/// The address of a database, with a function that opens it. It serves code with its own tables there. A backend makes
/// it.
public struct DatabaseSource: Sendable, Hashable {
    /// The address of the database, without its password.
    public let name: String

    private let opening: @Sendable () throws -> any SQLDatabase

    /// Creates a source with a function that opens the database.
    package init(_ name: String, open: @escaping @Sendable () throws -> any SQLDatabase) {
        self.name = name
        opening = open
    }

    /// Opens the database. Blocks.
    package func open() throws -> any SQLDatabase { try opening() }

    /// Compares two sources by name.
    public static func == (left: DatabaseSource, right: DatabaseSource) -> Bool { left.name == right.name }

    /// Hashes the name, as equality does.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
