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
