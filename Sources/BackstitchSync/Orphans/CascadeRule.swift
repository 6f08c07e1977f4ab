import Backstitch
import BackstitchSupport

/// A cascade rule: the objects of a relationship are deleted with their parent. The column of the child holds its
/// parent.
struct CascadeRule {
    private let children: ResolvedEntity
    let column: ResolvedProperty

    /// The rules of an entity. Complexity: O(relationships).
    static func all(of entity: ResolvedEntity, _ model: SyncedModel) -> [CascadeRule] {
        entity.relationships.compactMap { property in
            guard let relationship = property.relationship, relationship.description.deleteRule == .cascade,
                relationship.storage == .inverseColumn,
                let children = model.entity(named: relationship.description.destination)
            else { return nil }
            return CascadeRule(children: children.entity, column: model.model.inverse(of: relationship))
        }
    }

    /// The children of some parents, each with its parent.
    func children(
        of parents: [ObjectKey], in journal: any JournalReading, _ model: SyncedModel
    ) throws -> [(id: ObjectID, parent: ObjectKey)] {
        try parents.parts(of: 500).flatMap { part -> [(id: ObjectID, parent: ObjectKey)] in
            let targets = part.map { Value.object(ObjectID(entityName: column.destinationName, key: $0)) }
            let predicate = FetchPredicate.comparison(
                FetchComparison(.keyPath(FetchKeyPath(names: [column.name])), .in, .values(targets)))
            let found = try journal.fetch(
                StoreFetchRequest(entity: children, predicate: try predicate.resolved(for: children, in: model.model)))
            return (0..<found.count).compactMap { row -> (id: ObjectID, parent: ObjectKey)? in
                guard case .object(let parent) = found.value(row, column.slot) else { return nil }
                return (found.objectID(at: row), parent.key)
            }
        }
    }
}
