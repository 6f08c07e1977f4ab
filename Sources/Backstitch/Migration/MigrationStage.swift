/// One step in the life of a model, for stores that must be taken on by code, or in more steps than one.
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
/// A store goes through the stages that follow the version it has, in order, and then to the program's model; all of it
/// in one transaction. A store of a version that is no stage's begins with the first one. Where a stage ends with
/// another model than the next begins with, what lies between must follow from the models alone.
public struct MigrationStage: Sendable {
    /// The purpose of the stage, for plans and errors.
    public let name: String
    package let source: ManagedObjectModel
    package let destination: ManagedObjectModel
    package let body: (@Sendable (any MigrationRows) throws -> Void)?

    /// A stage that follows from the two models alone.
    public static func lightweight(from source: ManagedObjectModel, to destination: ManagedObjectModel)
        -> MigrationStage
    {
        MigrationStage(name: "lightweight", source: source, destination: destination, body: nil)
    }

    /// A stage that code helps with.
    ///
    /// The changes that follow from the models are made first; an attribute whose type changed counts as new, unless
    /// the new type has each value of the old one. Then `body` runs, with the rows as they were and as they are. Then
    /// all that the newer model does not have is removed. An error that `body` throws undoes everything.
    ///
    /// `body` runs inside the store's transaction: it may run again when the database was busy, and must touch nothing
    /// else.
    public static func custom(
        _ name: String, from source: ManagedObjectModel, to destination: ManagedObjectModel,
        _ body: @escaping @Sendable (any MigrationRows) throws -> Void
    ) -> MigrationStage {
        MigrationStage(name: name, source: source, destination: destination, body: body)
    }
}
