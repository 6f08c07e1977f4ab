public import Backstitch

extension ManagedObjectContext {
    /// Assigns a new object to the store of a database, and to a zone there. It is for an object without a parent, for
    /// example in a zone that another user shares. An object with a parent is saved in its parent's zone.
    ///
    /// ```swift
    /// try context.assign(list, to: .shared, zone: "_alice/Club")
    /// ```
    /// - Parameters:
    ///   - object: A new object of this context.
    ///   - database: The database. If several stores have it, the first one that holds the object's entity is used.
    ///   - name: The zone's name, as in ``SyncZone/name``; nil for the main one, which the shared database does not
    ///     have.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the object is not a new one of this context, or no store
    ///   of the database holds its entity. Its assignment does not change then. An unknown zone is reported by the
    ///   save.
    public func assign(_ object: ManagedObject, to database: SyncDatabase, zone name: String? = nil) throws {
        try assign(object, to: try coordinator.requireStore(of: database, holding: object.entity.name))
        try assign(object, toZone: name)
    }
}

extension PersistentStoreCoordinator {
    /// Returns the first synced store of a database.
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
