public import Backstitch

extension StoreType {
    /// The SQLite store: in the file of the description's URL, or in memory without one.
    public static let sqlite: StoreType = "SQLite"
}
