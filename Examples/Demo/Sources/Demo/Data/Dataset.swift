import Backstitch

/// The objects that the demonstration puts into device A.
protocol Dataset: Sendable {
    /// The name of the data, for the report.
    var title: String { get }
    /// The model of its objects.
    var model: ManagedObjectModel { get }
    /// Keys of assets that are to stay on the server until asked for.
    var excludedAssets: [String] { get }
    /// The entity and attributes that the conflicts are played with.
    var stage: Stage { get }
    /// How many objects the whole import makes, roughly, for the progress bar.
    var expectedCount: Int { get }

    /// Saves all of it into `container`, or what is missing of it after an import that was cut off.
    ///
    /// - Parameter progress: Called with the number of objects done.
    func importAll(into container: PersistentContainer, progress: @escaping @Sendable (Int) -> Void) async throws
}
