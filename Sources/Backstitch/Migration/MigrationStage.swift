/// One step between two versions of a model, for stores that need code to migrate, or several steps.
///
/// ```swift
/// var description = PersistentStoreDescription(type: .sqlite, url: file)
/// description.migrationStages = [
///     .lightweight(from: .notes1, to: .notes2),
///     .custom("prices become decimals", from: .notes2, to: .notes3) { rows in
///         try rows.update("Item") { old, new in
///             if case .double(let price) = try old["price"] { try new.set("price", .decimal(Decimal(price))) }
///         }
///     },
/// ]
/// ```
/// A store passes through the stages from its own version on, in order, and then to the program's model, all in one
/// transaction. A store of another version begins with the first stage. If one stage ends with another model than the
/// next begins with, the change between them must be inferable from the models alone.
public struct MigrationStage: Sendable {
    /// The purpose of the stage, for plans and errors.
    public let name: String
    package let source: ManagedObjectModel
    package let destination: ManagedObjectModel
    package let body: (@Sendable (any MigrationRows) throws -> Void)?

    /// Makes a stage that is inferred from the two models alone.
    public static func lightweight(from source: ManagedObjectModel, to destination: ManagedObjectModel)
        -> MigrationStage
    {
        MigrationStage(name: "lightweight", source: source, destination: destination, body: nil)
    }

    /// Makes a stage with code.
    ///
    /// First the changes inferred from the models are made. An attribute of another type counts as new, unless the new
    /// type includes all values of the old one. Then `body` runs, with the rows before and after these changes. At the
    /// end everything outside the newer model is removed. An error of `body` undoes everything.
    ///
    /// `body` runs inside the store's transaction. It may run again if the database was busy, and must change nothing
    /// else.
    public static func custom(
        _ name: String, from source: ManagedObjectModel, to destination: ManagedObjectModel,
        _ body: @escaping @Sendable (any MigrationRows) throws -> Void
    ) -> MigrationStage {
        MigrationStage(name: name, source: source, destination: destination, body: body)
    }
}
