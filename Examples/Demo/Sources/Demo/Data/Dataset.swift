import Backstitch

/// The source of the objects that the demonstration imports into device A.
protocol Dataset: Sendable {
    /// The name of the data, for the report.
    var title: String { get }
    /// The model of its objects.
    var model: ManagedObjectModel { get }
    /// Keys of assets that stay on the server until they are requested.
    var excludedAssets: [String] { get }
    /// The entity and attributes of the conflicts.
    var stage: Stage { get }
    /// The approximate number of objects of the whole import, for the progress bar.
    var expectedCount: Int { get }

    /// Saves all of it into `container`. After an interrupted import it saves only the missing objects.
    ///
    /// - Parameter progress: Called with the number of finished objects.
    func importAll(into container: PersistentContainer, progress: @escaping @Sendable (Int) -> Void) async throws
}
