import Backstitch

/// The kit has one base schema, ``ManagedObjectModel/journal``. Cases about a feature add only the parts for that
/// feature, so a store without the feature never meets it.
extension ManagedObjectModel {
    /// The same model with `change` made to the entity `name`.
    func changing(_ name: String, _ change: (inout EntityDescription) -> Void) -> ManagedObjectModel {
        var model = self
        for index in model.entities.indices where model.entities[index].name == name { change(&model.entities[index]) }
        return model
    }

    /// The same model with further properties and unique constraints of the entity `name`.
    func adding(
        _ properties: [PropertyDescription], to name: String, unique: [[String]] = []
    ) -> ManagedObjectModel {
        changing(name) { entity in
            entity.properties += properties
            entity.uniquenessConstraints += unique
        }
    }

    /// The same model with further entities.
    func adding(_ entities: [EntityDescription]) -> ManagedObjectModel {
        var model = self
        model.entities += entities
        return model
    }
}
