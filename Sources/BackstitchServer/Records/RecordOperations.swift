/// Records by their names: changing them, and looking them up.
struct RecordOperations: Sendable {
    let server: ServerContext
}
