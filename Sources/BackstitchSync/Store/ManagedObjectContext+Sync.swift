public import Backstitch

extension ManagedObjectContext {
    /// Has a new object saved into the store of a database, and there into a zone: an object that has no parent, in
    /// what somebody else shares for instance. An object with a parent goes where its parent is.
    ///
    /// ```swift
    /// try context.assign(list, to: .shared, zone: "_alice/Club")
    /// ```
    /// - Parameters:
    ///   - object: A new object of this context.
    ///   - database: The database. Of several stores of it, the first that holds the object's entity takes the object.
    ///   - name: The zone's name, as ``SyncZone/name`` has it; nil for the main one, which the shared database does not
    ///     have.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the object is none of this context's new ones, or no
    ///   store of the database holds its entity. The object is assigned as before then. A zone that the store does not
    ///   have is told by the save.
    public func assign(_ object: ManagedObject, to database: SyncDatabase, zone name: String? = nil) throws {
        try assign(object, to: try coordinator.requireStore(of: database, holding: object.entity.name))
        try assign(object, toZone: name)
    }
}

extension PersistentStoreCoordinator {
    /// The first synced store of a database.
    ///
    /// - Parameter entity: The name of an entity that it must hold; nil for any.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when there is none.
    func requireStore(of database: SyncDatabase, holding entity: String? = nil) throws -> SyncStore {
        let found = stores.lazy.compactMap { $0 as? SyncStore }.filter { store in
            store.options.database == database
                && entity.map { store.sync.services.settings.model.entity(named: $0) != nil } ?? true
        }
        if let store = found.first { return store }
        throw BackstitchError(
            .invalidRequest,
            "the container has no store of the \(database.rawValue) database"
                + (entity.map { " that holds \($0)" } ?? "")
                + "; give it one of type \"Sync\" with the option syncDatabase: \"\(database.rawValue)\"")
    }
}
