import Backstitch

/// A row in the form that predicates and orders evaluate.
struct RowSubject: PredicateSubject {
    let content: StoreContent
    let entity: ResolvedEntity
    let key: ObjectKey
    let row: StoreContent.Row

    var objectID: ObjectID { ObjectID(entityName: row.entityName, key: key) }

    func predicateValue(_ property: ResolvedProperty) throws -> Value {
        if property.slot < entity.columnCount { return row.values[property.slot] }
        guard let target = content.targets(of: property, in: entity, from: key).first else { return .null }
        return .object(ObjectID(entityName: property.relationship?.description.destination ?? "", key: target))
    }

    func predicateDestinations(_ property: ResolvedProperty) throws -> [any PredicateSubject] {
        guard let relationship = property.relationship else { return [] }
        let destination = content.model.destination(of: relationship)
        return content.targets(of: property, in: entity, from: key).compactMap { target in
            content.row(target, of: destination).map {
                RowSubject(content: content, entity: destination, key: target, row: $0)
            }
        }
    }
}
