public import Backstitch

extension PostgreSQLStore {
    /// Returns the changes that opening the schema with the configuration's model would make in it.
    public static func migrationPlan(for configuration: StoreConfiguration) throws -> MigrationPlan? {
        try PostgreSQLOpener(configuration, PostgreSQLOptions(configuration)).plan()
    }
}
