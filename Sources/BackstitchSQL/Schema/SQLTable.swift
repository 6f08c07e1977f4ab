/// A table of a model, with its indexes and triggers.
struct SQLTable {
    let name: String
    /// The statement that creates the table.
    let statement: String
    /// The indexes and triggers, to be created after the table.
    let objects: [SQLSchemaObject]
}
