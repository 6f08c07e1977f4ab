import Backstitch

/// Finds the models between a store's model and that of the program. Stages give some of the steps. The steps between
/// stages follow from the models alone.
struct MigrationRoute {
    /// The reason why no route exists.
    struct DeadEnd: Error {
        let reason: String
    }

    private let configuration: StoreConfiguration
    private let stages: [(stage: MigrationStage, source: ResolvedModel, destination: ResolvedModel)]

    /// Resolves the models of the migration stages.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel`` with the faults of the stages' models.
    init(_ configuration: StoreConfiguration) throws {
        self.configuration = configuration
        stages = try configuration.migrationStages.map {
            (
                $0, try ResolvedModel($0.source.part(ifNamed: configuration.part)),
                try ResolvedModel($0.destination.part(ifNamed: configuration.part))
            )
        }
    }

    /// The steps for a store with the model `stored`.
    ///
    /// - Throws: ``DeadEnd`` when no route exists.
    func hops(from stored: ModelFingerprint) throws -> [MigrationHop] {
        let model = try stored.model()
        if let first = firstStage(from: stored) { return try hops(from: model, stages: stages[first...]) }
        let direct = try hops(from: model, stages: [])
        guard stages.isEmpty || direct.allSatisfy({ $0.mapping.faults.isEmpty && !$0.losesData }) else {
            throw DeadEnd(
                reason:
                    "no migration stage begins at the store's model, and a direct migration to the program's "
                    + "model would lose data or cannot be inferred; add a stage that begins there")
        }
        return direct
    }

    /// The first stage for a store. It is the number of stages if the store has the last stage's model, and nil if no
    /// stage has the store's model.
    private func firstStage(from stored: ModelFingerprint) -> Int? {
        if let first = stages.firstIndex(where: { ModelFingerprint($0.source).storesLike(stored) }) { return first }
        return stages.lastIndex { ModelFingerprint($0.destination).storesLike(stored) }.map { $0 + 1 }
    }

    /// The steps through some stages to the program's model, with inferred steps between them.
    private func hops(
        from model: ResolvedModel,
        stages: ArraySlice<(stage: MigrationStage, source: ResolvedModel, destination: ResolvedModel)>
    ) throws -> [MigrationHop] {
        var hops: [MigrationHop] = []
        var present = model
        for (stage, source, destination) in stages {
            if !storeAlike(present, source) { hops.append(try inferred(present, source)) }
            hops.append(
                MigrationHop(
                    mapping: ModelMapping(
                        from: source, to: destination, demand: stage.body == nil ? .complete : .partial),
                    stage: stage, generator: configuration.generator))
            present = destination
        }
        if hops.isEmpty || !storeAlike(present, configuration.storedModel) {
            hops.append(try inferred(present, configuration.storedModel))
        }
        return hops
    }

    /// A step that follows from the two models.
    ///
    /// - Throws: ``DeadEnd`` when the options forbid such a step.
    private func inferred(_ source: ResolvedModel, _ destination: ResolvedModel) throws -> MigrationHop {
        // If only earlier names differ, no permission is needed, because stored data does not change.
        guard configuration.options.value(.infersMappingModel) ?? true || storeAlike(source, destination) else {
            throw DeadEnd(
                reason: "the option infersMappingModel is false, and no migration stage begins at the store's model"
            )
        }
        return MigrationHop(
            mapping: ModelMapping(from: source, to: destination), stage: nil, generator: configuration.generator)
    }

    private func storeAlike(_ one: ResolvedModel, _ other: ResolvedModel) -> Bool {
        ModelFingerprint(one).storesLike(ModelFingerprint(other))
    }
}
