/// Where a database is and how it is opened, for those who keep tables of their own in it. A backend makes it.
public struct DatabaseSource: Sendable, Hashable {
    /// The address, without its password.
    public let name: String

    private let opening: @Sendable () throws -> any SQLDatabase

    /// A database with what opens it.
    package init(_ name: String, open: @escaping @Sendable () throws -> any SQLDatabase) {
        self.name = name
        opening = open
    }

    /// Opens the database. Blocks.
    package func open() throws -> any SQLDatabase { try opening() }

    /// By their names.
    public static func == (left: DatabaseSource, right: DatabaseSource) -> Bool { left.name == right.name }

    /// Consistent with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
