extension PersistentStoreCoordinator {
    /// Returns the changes that opening a store with a model would make in it, in words; nothing is changed, and the
    /// store is not opened.
    ///
    /// ```swift
    /// if let plan = try PersistentStoreCoordinator.migrationPlan(model: .notes, store: description), plan.losesData {
    ///     print(plan)
    /// }
    /// ```
    /// - Returns: nil when the store is of that model already, or is not there.
    /// - Throws: The errors that opening it would throw: ``BackstitchError/Code/modelMismatch`` with every reason why
    ///   it cannot be migrated, ``BackstitchError/Code/newerFormat`` when it is newer than the program.
    public static func migrationPlan(
        model: ManagedObjectModel, store description: PersistentStoreDescription
    ) throws -> MigrationPlan? {
        let type = try StoreRegistry.type(named: description.type.rawValue)
        return try type.migrationPlan(
            for: StoreConfiguration(
                description, model: ResolvedModel(model), type: type, clock: SystemClock(),
                generator: ObjectIDGenerator()))
    }
}
