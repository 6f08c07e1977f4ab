/// A checked and laid out model, used by every layer below the objects.
///
/// Entities and properties have fixed positions, so no layer looks a name up more than once a request.
public final class ResolvedModel: Sendable {
    /// The model as the program described it.
    public let model: ManagedObjectModel
    /// The entities, in the order of the model.
    public let entities: [ResolvedEntity]

    // Written once, before other code has the model.
    nonisolated(unsafe) private(set) var rules: [[ResolvedRule]] = []

    private let indexByName: SlotTable
    private let indexByClass: [ObjectIdentifier: Int]
    private let transformers: [String: ValueTransformer]

    /// Checks and lays out a model.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel`` with every fault of the model, each by name.
    public init(_ model: ManagedObjectModel) throws {
        let faults = model.faults()
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .invalidModel, summary: "the model has \(faults.count) faults:")
        }
        self.model = model
        entities = ModelLayout(model.expanded()).entities()
        indexByName = SlotTable(Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.index) }), [])
        indexByClass = model.indexByClass
        transformers = Dictionary(uniqueKeysWithValues: model.transformers.map { ($0.name, $0) })
        var faultsOfRules: [BackstitchError] = []
        rules = resolveRules(&faultsOfRules)
        guard faultsOfRules.isEmpty else {
            throw BackstitchError.combining(
                faultsOfRules, code: .invalidModel, summary: "the model has \(faultsOfRules.count) faults:")
        }
    }

    /// Returns the entity of this name, or nil.
    public func entity(named name: String) -> ResolvedEntity? {
        indexByName.slot(of: name).map { entities[$0] }
    }

    /// Returns the entity of this name.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if the model has no such entity; the message lists similar
    ///   names, or all names if none is similar.
    public func requireEntity(named name: String) throws -> ResolvedEntity {
        if let entity = entity(named: name) { return entity }
        throw BackstitchError(
            .invalidRequest,
            "the model has no entity \"\(name)\"; \(NearNames.hint(name, among: entities.map(\.name)))", key: name)
    }

    /// Returns the entity for this class of objects, or nil.
    public func entity(for type: ManagedObject.Type) -> ResolvedEntity? {
        indexByClass[ObjectIdentifier(type)].map { entities[$0] }
    }

    /// Returns the entity at the other end of a relationship.
    public func destination(of relationship: ResolvedRelationship) -> ResolvedEntity {
        entities[relationship.destinationIndex]
    }

    /// Returns the inverse of a relationship.
    public func inverse(of relationship: ResolvedRelationship) -> ResolvedProperty {
        entities[relationship.destinationIndex].properties[relationship.inverseSlot]
    }

    /// Returns the transformer of this name, or nil.
    public func transformer(named name: String) -> ValueTransformer? { transformers[name] }
}

extension ResolvedModel {
    /// Whether some of its entities have attributes with external storage.
    package var hasExternalColumns: Bool { entities.contains(where: \.hasExternalColumns) }
}
