import Backstitch

/// One step of a store's migration: from one model to the next.
struct MigrationHop: Sendable {
    let mapping: ModelMapping
    /// The stage of the step; nil for a step between stages.
    let stage: MigrationStage?
    let generator: ObjectIDGenerator

    /// Whether the step discards values or objects.
    var losesData: Bool { steps.contains(where: \.losesData) }

    /// The changes of the step, in words.
    var steps: [MigrationPlan.Step] {
        guard let stage, stage.body != nil else { return mapping.steps }
        return mapping.steps + [MigrationPlan.Step("the stage \"\(stage.name)\" runs its code", entity: "")]
    }

    /// Executes the step, inside a transaction that the caller has begun.
    func run(on connection: any SQLConnection, content: any MigrationContent) throws {
        var migrator = try SchemaMigrator(connection, mapping, content)
        try migrator.begin()
        if let stage, let body = stage.body {
            let rows = StageRows(connection, mapping, migrator.old, generator, content)
            defer { rows.close() }
            do {
                try body(rows)
                try ColumnFill(connection, mapping, content).run(.former)
                try rows.requireValues()
            } catch let error as BackstitchError {
                throw BackstitchError(
                    error.code, "the migration stage \"\(stage.name)\" failed: \(error.message)",
                    objectID: error.objectID,
                    key: error.key, cause: error, faults: error.faults)
            }
        } else {
            try ColumnFill(connection, mapping, content).run(.former)
        }
        try migrator.finish()
        try JournalMigrator(connection, mapping).run()
    }
}
