/// The rows of a store during a ``MigrationStage``: the rows of the older model, and those of the newer one.
///
/// Changes made here do not enter history and are not sent to a server: every device runs the same migration on its own
/// data.
public protocol MigrationRows: AnyObject {
    /// Runs `body` with each existing row of an entity of the newer model, in the order of keys. `body` gets the old
    /// row, and the new row in its present state, which it may change.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if the newer model has no such entity, or the entity is new;
    ///   errors of `body`.
    func update(_ entityName: String, _ body: (_ old: MigrationRow, _ new: inout MigrationRow) throws -> Void) throws

    /// Runs `body` with each row of an entity of the older model, in the order of keys. Values written during the stage
    /// may be visible.
    func forEachOldRow(of entityName: String, _ body: (MigrationRow) throws -> Void) throws

    /// Inserts an object with its defaults and these values.
    ///
    /// - Parameter key: The key of the object; nil makes a new one.
    @discardableResult
    func insert(_ entityName: String, key: ObjectKey?, _ values: [String: Value]) throws -> ObjectID

    /// Deletes an object of the newer model, with its links.
    func delete(_ objectID: ObjectID) throws

    /// Returns the destinations of a to-many relationship of the older model.
    func oldLinks(of objectID: ObjectID, by relationship: String) throws -> [ObjectKey]

    /// Adds links by a many-to-many relationship of the newer model.
    func link(_ objectID: ObjectID, by relationship: String, to keys: [ObjectKey]) throws
}
