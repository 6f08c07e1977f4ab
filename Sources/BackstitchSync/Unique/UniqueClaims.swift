import Backstitch
import BackstitchSupport

extension SyncedModel {
    /// Returns the unique values claimed by an object with these values. Constraints with a nil claim nothing.
    func claims(of values: (Int) -> Value, _ entity: ResolvedEntity) -> [UniqueClaim] {
        entity.uniquenessConstraints.compactMap { columns in
            let tuple = columns.map(values)
            return tuple.contains(where: \.isNull)
                ? nil : UniqueClaim(rootName: rootName(of: entity), columns: columns, values: tuple)
        }
    }

    func rootName(of entity: ResolvedEntity) -> String { entity.lineage.last ?? entity.name }
}

extension JournalReading {
    /// The objects with these claims.
    func holders(of claims: [UniqueClaim], _ model: SyncedModel) throws -> [UniqueClaim: ObjectID] {
        var holders: [UniqueClaim: ObjectID] = [:]
        let groups = Dictionary(grouping: claims) { "\($0.rootName) \($0.columns)" }
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
            guard let first = group.first, let root = model.model.entity(named: first.rootName) else { continue }
            // A subentity's own columns are unknown to the root.
            let entity = asked(first, root, model)
            for chunk in group.parts(of: 100) {
                let predicate = FetchPredicate.or(
                    chunk.map { claim in
                        .and(
                            zip(claim.columns, claim.values).map { column, value in
                                .comparison(
                                    FetchComparison(
                                        .keyPath(FetchKeyPath(names: [entity.properties[column].name])), .equal,
                                        .value(value)))
                            })
                    })
                let rows = try fetch(
                    StoreFetchRequest(entity: entity, predicate: predicate.resolved(for: entity, in: model.model)))
                for row in 0..<rows.count {
                    let claim = UniqueClaim(
                        rootName: first.rootName, columns: first.columns,
                        values: first.columns.map { rows.value(row, $0) })
                    holders[claim] = rows.objectID(at: row)
                }
            }
        }
        return holders
    }

    /// The highest entity of the family with the claim's columns.
    private func asked(_ claim: UniqueClaim, _ root: ResolvedEntity, _ model: SyncedModel) -> ResolvedEntity {
        let family = [root] + root.subentityNames.compactMap { model.model.entity(named: $0) }
        return family.first { entity in entity.uniquenessConstraints.contains(claim.columns) } ?? root
    }

    /// Another object with some of this object's unique values.
    func rival(
        of key: ObjectKey, _ image: RecordImage, _ entity: ResolvedEntity, _ model: SyncedModel
    ) throws -> ObjectID? {
        let claims = model.claims(of: { image.values[$0] }, entity)
        guard !claims.isEmpty else { return nil }
        return try holders(of: claims, model).values.filter { $0.key != key }.min { $0.key < $1.key }
    }
}
