/// A model that has been checked and laid out: what every layer below the objects works with.
///
/// Entities and properties have fixed positions, so that no layer looks a name up more than once a request.
public final class ResolvedModel: Sendable {
    /// The model it was made from.
    public let model: ManagedObjectModel
    /// The entities, in the model's order.
    public let entities: [ResolvedEntity]

    // Written once, before anybody else has the model.
    nonisolated(unsafe) private(set) var rules: [[ResolvedRule]] = []

    private let indexByName: SlotTable
    private let indexByClass: [ObjectIdentifier: Int]
    private let codecs: [String: ValueCodec]

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
        codecs = Dictionary(uniqueKeysWithValues: model.codecs.map { ($0.name, $0) })
        var faultsOfRules: [BackstitchError] = []
        rules = resolveRules(&faultsOfRules)
        guard faultsOfRules.isEmpty else {
            throw BackstitchError.combining(
                faultsOfRules, code: .invalidModel, summary: "the model has \(faultsOfRules.count) faults:")
        }
    }

    /// The entity of that name, or nil.
    public func entity(named name: String) -> ResolvedEntity? {
        indexByName.slot(of: name).map { entities[$0] }
    }

    /// The entity of that name.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the model has none; the message lists those it has.
    public func requireEntity(named name: String) throws -> ResolvedEntity {
        if let entity = entity(named: name) { return entity }
        throw BackstitchError(
            .invalidRequest,
            "the model has no entity \"\(name)\"; \(NearNames.hint(name, among: entities.map(\.name)))", key: name)
    }

    /// The entity whose objects are of that class, or nil.
    public func entity(for type: ManagedObject.Type) -> ResolvedEntity? {
        indexByClass[ObjectIdentifier(type)].map { entities[$0] }
    }

    /// The entity at the other end of a relationship.
    public func destination(of relationship: ResolvedRelationship) -> ResolvedEntity {
        entities[relationship.destinationIndex]
    }

    /// The property that leads back.
    public func inverse(of relationship: ResolvedRelationship) -> ResolvedProperty {
        entities[relationship.destinationIndex].properties[relationship.inverseSlot]
    }

    /// The codec of that name, or nil.
    public func codec(named name: String) -> ValueCodec? { codecs[name] }
}

extension ResolvedModel {
    /// Whether some of its entities have external attributes.
    package var hasExternalColumns: Bool { entities.contains(where: \.hasExternalColumns) }
}
