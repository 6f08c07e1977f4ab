extension BackstitchError {
    /// The error for a new object whose key already belongs to an object of another entity.
    ///
    /// Keys are unique across the entities of a store. The key alone finds a row in memory; it is the primary key of
    /// the journal, and the record name on the wire.
    package static func takenKey(_ id: ObjectID, by other: ObjectID) -> BackstitchError {
        BackstitchError(
            .invalidRequest,
            "\(id) cannot be made: \(other) has the same key, and keys are unique in a store, also across "
                + "entities; give it another key, and link the two objects if they belong together", objectID: id)
    }

    /// Combines several errors for taken keys into one.
    package static func takenKeys(_ faults: [BackstitchError]) -> BackstitchError {
        .combining(
            faults, code: .invalidRequest,
            summary: "\(faults.count) new objects have keys of objects of other entities:")
    }
}
