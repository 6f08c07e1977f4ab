import GRDB

extension SQLiteStore {
    /// Copies the present content of the database into `state`, and replaces its former content. The bytes of assets
    /// are not copied.
    package func copy(to state: SQLiteState) throws {
        try database.request { try database.connections.backup(to: state.copy) }
    }

    /// Restores a copy, in the way that a power cut may restore an earlier state. For simulations; no request may run
    /// meanwhile.
    package func goBack(to state: SQLiteState) throws {
        try database.request { try state.copy.backup(to: database.connections) }
    }
}
