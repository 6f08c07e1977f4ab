public import Backstitch

extension PostgreSQLStore {
    /// Returns the changes that opening with the configuration's model would make in the schema.
    public static func migrationPlan(for configuration: StoreConfiguration) throws -> MigrationPlan? {
        try PostgreSQLOpener(configuration, PostgreSQLOptions(configuration)).plan()
    }
}
