public import Backstitch
import BackstitchSQL

extension SQLiteStore {
    /// What opening the file with the configuration's model would change in it. Neither the file nor what lies beside it
    /// changes.
    public static func migrationPlan(for configuration: StoreConfiguration) throws -> MigrationPlan? {
        guard let url = configuration.url else { return nil }
        let file = try SQLiteFile(url)
        guard try file.content() == .something else { return nil }
        return try SQLiteInspection.migration(of: file, configuration)?.plan
    }
}
