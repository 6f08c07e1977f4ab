public import Backstitch
import BackstitchSQL

extension SQLiteStore {
    /// Returns the changes that opening with the configuration's model would make in the file. Neither the file nor any
    /// file beside it changes.
    public static func migrationPlan(for configuration: StoreConfiguration) throws -> MigrationPlan? {
        guard let url = configuration.url else { return nil }
        let file = try SQLiteFile(url)
        guard try file.content() == .something else { return nil }
        return try SQLiteInspection.migration(of: file, configuration)?.plan
    }
}
