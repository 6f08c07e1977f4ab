import Backstitch

/// Lets a predicate be evaluated on a record image.
struct ImageSubject: PredicateSubject {
    let objectID: ObjectID
    let image: RecordImage

    func predicateValue(_ property: ResolvedProperty) throws -> Value {
        guard property.slot < image.values.count else { throw Self.tooFar(property) }
        return image.values[property.slot]
    }

    func predicateDestinations(_ property: ResolvedProperty) throws -> [any PredicateSubject] {
        throw Self.tooFar(property)
    }

    private static func tooFar(_ property: ResolvedProperty) -> BackstitchError {
        BackstitchError(
            .invalidPredicate,
            "a sync predicate looks at the object's own attributes and to-one relationships only, not at "
                + "what \(property.name) leads to", key: property.name)
    }
}
