public import Backstitch

extension PostgreSQLStore {
    /// What opening the schema with the configuration's model would change in it.
    public static func migrationPlan(for configuration: StoreConfiguration) throws -> MigrationPlan? {
        try PostgreSQLOpener(configuration, PostgreSQLOptions(configuration)).plan()
    }
}
