package import Backstitch

/// Explains the failure of a request after another process has migrated the store that is open here.
package struct ForeignMigration: Sendable {
    private let model: ModelFingerprint

    /// Creates it for a store that was opened with this configuration.
    package init(_ configuration: StoreConfiguration) { model = ModelFingerprint(configuration.storedModel) }

    /// The error for a request after such a migration; nil when the store still has the model of its opening.
    ///
    /// - Parameters:
    ///   - connection: A connection that can read the store's present model.
    ///   - store: The store's file or address, for the message.
    ///   - cause: The database's error for the request.
    package func error(
        on connection: any SQLConnection, store: String, cause: any Error
    ) throws -> BackstitchError? {
        var text: String?
        let query = SQLStatement(connection.dialect, StoreTable.query(for: .model))
        try connection.forEachRow(of: query) { text = $0.text(0) }
        guard let now = try text.map(ModelFingerprint.init(text:)), !now.storesLike(model) else { return nil }
        let differences = now.differences(from: model).map { "  - \($0)" }.joined(separator: "\n")
        return BackstitchError(
            .modelMismatch,
            "\(store) was migrated to another model while it was open here, and nothing of the request was stored: close this container, and "
                + "open the store with a program of the new model\nWhat differs now:\n\(differences)",
            cause: cause)
    }
}
