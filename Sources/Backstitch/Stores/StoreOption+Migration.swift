extension StoreOption {
    /// Whether the folders above a store's own are made where they are missing; false without it: then the error names
    /// the first that is.
    public static let createsParentFolders = StoreOption(rawValue: "createsParentFolders")
    /// Whether a store of another version of the model is migrated when it is opened; true without it.
    public static let migratesStoreAutomatically = StoreOption(rawValue: "migratesStoreAutomatically")
    /// Whether the migration may follow from the two models alone; true without it. When false, only the description's
    /// stages migrate.
    public static let infersMappingModel = StoreOption(rawValue: "infersMappingModel")
}
