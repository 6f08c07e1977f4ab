import Backstitch

/// The news of a page that change objects, sorted by what is done with them.
struct SortedNews {
    /// Records of objects without unsent changes, by the index of the entity.
    var clean: [[CleanRecord]]
    /// Objects to delete, by the index of the entity.
    var gone: [[ObjectKey]]
    /// News of objects with unsent changes.
    var dirty: [RemoteChange] = []
    /// Objects whose contents are compared with the records first.
    var compared: Set<ObjectKey> = []
    /// Objects that may have edits which the outbox lacks.
    var acknowledged: Set<ObjectKey> = []

    init(entities: Int) {
        clean = Array(repeating: [], count: entities)
        gone = Array(repeating: [], count: entities)
    }
}
