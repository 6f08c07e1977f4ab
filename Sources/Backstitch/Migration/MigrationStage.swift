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

/// The rows of a store while a ``MigrationStage`` takes it on: those of the older model, and those of the newer one.
///
/// Nothing that is written here enters history or is sent to a server: every device makes the same of what it has.
public protocol MigrationRows: AnyObject {
    /// Runs `body` with each row of an entity of the newer model that was there before, in the order of keys: as it
    /// was, and as it is so far, to be changed.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the newer model has no such entity, or it is new; what
    ///   `body` throws.
    func update(_ entityName: String, _ body: (_ old: MigrationRow, _ new: inout MigrationRow) throws -> Void) throws

    /// Runs `body` with each row of an entity of the older model, in the order of keys. Values that were written since
    /// may show.
    func forEachOldRow(of entityName: String, _ body: (MigrationRow) throws -> Void) throws

    /// Inserts an object, which has its defaults and these values.
    ///
    /// - Parameter key: Its key; nil for a new one.
    @discardableResult
    func insert(_ entityName: String, key: ObjectKey?, _ values: [String: Value]) throws -> ObjectID

    /// Removes an object of the newer model, with its links.
    func delete(_ objectID: ObjectID) throws

    /// The objects that a to-many relationship of the older model led to.
    func oldLinks(of objectID: ObjectID, by relationship: String) throws -> [ObjectKey]

    /// Adds links by a many-to-many relationship of the newer model.
    func link(_ objectID: ObjectID, by relationship: String, to keys: [ObjectKey]) throws
}

/// A row while a store is migrated.
public struct MigrationRow: Sendable {
    /// The object; an old row's has the entity's old name.
    public let objectID: ObjectID
    private var values: [String: Value]
    /// The properties that ``set(_:_:)`` changed.
    package private(set) var changed: Set<String> = []

    package init(_ objectID: ObjectID, _ values: [String: Value]) {
        self.objectID = objectID
        self.values = values
    }

    /// The value of an attribute, or of a to-one relationship that the entity's rows keep.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when there is none of that name.
    public subscript(name: String) -> Value {
        get throws {
            if let value = values[name] { return value }
            throw unknown(name)
        }
    }

    /// Gives a value.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when there is no property of that name. Whether the value fits
    ///   is found when the row is written.
    public mutating func set(_ name: String, _ value: Value) throws {
        guard values[name] != nil else { throw unknown(name) }
        values[name] = value
        changed.insert(name)
    }

    private func unknown(_ name: String) -> BackstitchError {
        BackstitchError(
            .invalidRequest,
            "a row of \(objectID.entityName) has no \"\(name)\"; it has \(values.keys.sorted().joined(separator: ", "))",
            objectID: objectID, key: name)
    }
}
