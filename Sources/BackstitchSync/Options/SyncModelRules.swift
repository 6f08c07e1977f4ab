import Backstitch

extension ResolvedModel {
    /// What keeps the model from being synced, each fault naming its property. Records arrive in part and out of order,
    /// so an object must be able to be without any value and any destination.
    func syncFaults() -> [BackstitchError] {
        entities.flatMap { entity in
            entity.constraintFaults + entity.familyFaults
                + entity.ownProperties.compactMap { property -> BackstitchError? in
                    let path = "\(entity.name).\(property.name)"
                    if property.attribute?.derivation != nil {
                        return BackstitchError(
                            .invalidModel,
                            "\(path) is derived: a synced store cannot keep derived attributes yet, since records would carry "
                                + "what each device computes itself", key: path)
                    }
                    if let attribute = property.attribute, !attribute.isOptional, !attribute.isTransient,
                        attribute.defaultValue.isNull
                    {
                        return BackstitchError(
                            .invalidModel,
                            "\(path) must be optional or have a default: records of other versions may come without it",
                            key: path)
                    }
                    if let relationship = property.relationship, !relationship.description.isOptional {
                        return BackstitchError(
                            .invalidModel, "\(path) must be optional: an object may arrive before its destination",
                            key: path)
                    }
                    return nil
                }
        }
    }

    /// Checks that the model can be synced.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel`` with every fault.
    func checkForSync() throws {
        let faults = syncFaults()
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .invalidModel, summary: "the model cannot be synced; it has \(faults.count) faults:")
        }
    }

    /// What this version makes of records: changes when a record may be read differently than before.
    var syncFingerprint: String {
        let entities = entities.sorted { $0.name < $1.name }.map { entity in
            let fields = entity.syncedProperties.map { property in
                let kind = property.attribute.map { "\($0.type)\($0.allowsExternalStorage ? "+" : "")" }
                return "\(property.name):\(kind ?? property.destinationName)"
            }
            return "\(entity.name)(\(fields.sorted().joined(separator: ",")))"
        }
        return "1 " + entities.joined(separator: ";")
    }
}

extension ResolvedEntity {
    /// A reference of the wire names a record and no type, so a device could not tell which of several entities it leads to.
    fileprivate var familyFaults: [BackstitchError] {
        guard let parent = lineage.first else { return [] }
        return [
            BackstitchError(
                .invalidModel,
                "\(name) has the parent \(parent): a synced store cannot keep entities with parents yet; give each the properties "
                    + "of its own", key: name)
        ]
    }

    /// Two devices that are offline may each make an object with the same unique values, and the server keeps both: no device
    /// could take in both records.
    fileprivate var constraintFaults: [BackstitchError] {
        uniquenessConstraints.map { columns in
            let keys = columns.map { properties[$0].name }.joined(separator: ", ")
            return BackstitchError(
                .invalidModel,
                "\(name) has a unique constraint on \(keys): a synced store cannot keep one, since devices that are offline may "
                    + "each make an object with the same values. Derive the objects' identities from them instead "
                    + "(insertObject(with:))", key: name)
        }
    }
}
