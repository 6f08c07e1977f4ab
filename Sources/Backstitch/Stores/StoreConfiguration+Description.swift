extension StoreConfiguration {
    /// Makes the configuration of a description, with its options checked.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` with every fault.
    init(
        _ description: PersistentStoreDescription, model: ResolvedModel, type: any PersistentStore.Type,
        clock: any WallClock, generator: ObjectIDGenerator,
        changeHandler: @escaping @Sendable (StoreChanges) -> Void = { _ in }
    ) throws {
        let own = try type.optionSpecifications(for: description.options)
        let options = try StoreOptions(description.options, specifications: own + OptionSpecification.common)
        let storedModel = try description.configuration.map { try ResolvedModel(model.model.part($0)) }
        self.init(
            model: model, storedModel: storedModel, part: description.configuration, url: description.url,
            options: options, clock: clock, generator: generator,
            isReadOnly: description.isReadOnly, migrationStages: description.migrationStages,
            changeHandler: changeHandler)
    }
}
