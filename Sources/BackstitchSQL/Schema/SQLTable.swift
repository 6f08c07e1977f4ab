/// A table of a model, and the indexes and the like that belong to it.
struct SQLTable {
    let name: String
    /// Makes the table.
    let statement: String
    /// The indexes and triggers that are made after it.
    let objects: [SQLSchemaObject]
}
