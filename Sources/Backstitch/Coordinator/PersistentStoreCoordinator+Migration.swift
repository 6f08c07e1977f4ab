extension PersistentStoreCoordinator {
    /// Describes the changes that would be made in a store if it were opened with a model. Nothing is changed, and the
    /// store is not opened.
    ///
    /// ```swift
    /// if let plan = try PersistentStoreCoordinator.migrationPlan(model: .notes, store: description), plan.losesData {
    ///     print(plan)
    /// }
    /// ```
    /// - Returns: The plan; nil when the store is of that model already, or does not exist.
    /// - Throws: The errors of opening the store: ``BackstitchError/Code/modelMismatch`` with every reason against a
    ///   migration, ``BackstitchError/Code/newerFormat`` when it is newer than the program.
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
