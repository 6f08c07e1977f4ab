extension StoreOption {
    /// Whether missing folders above a store's own are made. The default is false: then the error names the first
    /// missing folder.
    public static let createsParentFolders = StoreOption(rawValue: "createsParentFolders")
    /// Whether a store of another version of the model is migrated when it is opened. The default is true.
    public static let migratesStoreAutomatically = StoreOption(rawValue: "migratesStoreAutomatically")
    /// Whether the migration may be inferred from the two models alone. The default is true. If it is false, only the
    /// description's stages migrate.
    public static let infersMappingModel = StoreOption(rawValue: "infersMappingModel")
}
