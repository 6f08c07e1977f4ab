extension StoreOption {
    /// The number of closures of ``PersistentContainer/perform(author:file:line:_:)`` and of background contexts that
    /// run at the same time, each on a thread of the container; the others wait. The default is the number of requests
    /// that the store serves at once (``PersistentStore/concurrency``): the pool size of a PostgreSQL store, 8 for
    /// SQLite. With several stores the largest number counts.
    public static let maximumConcurrency = StoreOption(rawValue: "maximumConcurrency")
}

extension OptionSpecification {
    /// The options of every store type.
    package static let common: [OptionSpecification] = [
        OptionSpecification(
            .migratesStoreAutomatically, .boolean, "Whether a store of another version of the model is migrated."),
        OptionSpecification(
            .infersMappingModel, .boolean, "Whether the migration may be inferred from the two models alone."),
        OptionSpecification(
            .createsParentFolders, .boolean, "Whether missing folders above the store's own are made."),
        OptionSpecification(
            .maximumConcurrency, .integer(1...1000), "How many closures of perform run at the same time."),
    ]
}
